#ifndef LAYOUTD_ENGINE_KERNELS_PACK_H_
#define LAYOUTD_ENGINE_KERNELS_PACK_H_

// Copies values between a field's memory and the logical stream form: points in
// canonical order (v fastest, then i, j, h), each value with its C ABI bytes,
// padding bytes zero. What transfers send and .npy files hold.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/layout/data_layout.h"

namespace layoutd {

// Writes points [first_point, first_point + n) of `view` to `out`, where n =
// out.size() / view.type.size_bytes(), a whole number. A null `memory` reads as
// zeros.
void PackPoints(const View& view, const uint8_t* memory, int64_t first_point,
                absl::Span<uint8_t> out);

// Stores the values in `in` at points [first_point, ...) of `view`; padding
// bytes inside the view's type are written as zeros, so a write of whole values
// leaves no byte of them untouched.
// Errors: InvalidArgument (BAD_BOOL) — a byte of a bool that is neither 0 nor
// 1; names the point and the leaf; points before it are stored.
absl::Status UnpackPoints(const View& view, uint8_t* memory,
                          int64_t first_point, absl::Span<const uint8_t> in);

}  // namespace layoutd

#endif  // LAYOUTD_ENGINE_KERNELS_PACK_H_
