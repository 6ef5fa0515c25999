#ifndef LAYOUTD_SERVER_DECODE_LAYOUT_H_
#define LAYOUTD_SERVER_DECODE_LAYOUT_H_

// From the protocol's layouts to the engine's.

#include "absl/status/statusor.h"
#include "engine/layout/data_layout.h"
#include "layoutd/v1/layout.pb.h"

namespace layoutd {

// Extents are the engine's to check.
Shape DecodeShape(const v1::Shape& shape);

// Returns what `kind` stands for, an old name included.
// Errors: InvalidArgument (UNKNOWN_LAYOUT) at "layout.kind".
absl::StatusOr<LayoutName> DecodeLayoutKind(v1::LayoutKind kind);

// Returns `layout` as the engine checks it further. Output-only parts are not
// looked at.
// Errors, with paths below "layout": InvalidArgument — MISSING_VALUE,
// UNKNOWN_LAYOUT, BAD_TYPE, BAD_BASE_TYPE, BAD_SHAPE (an extent along an axis
// that an old name leaves out).
absl::StatusOr<LayoutSpec> DecodeLayout(const v1::Layout& layout);

}  // namespace layoutd

#endif  // LAYOUTD_SERVER_DECODE_LAYOUT_H_
