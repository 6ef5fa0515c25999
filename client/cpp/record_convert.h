#ifndef LAYOUTD_CLIENT_CPP_RECORD_CONVERT_H_
#define LAYOUTD_CLIENT_CPP_RECORD_CONVERT_H_

// Turns the elements of a .npy file into values of a field: other offsets,
// other byte order and, when asked, other scalar types.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cpp/npy_header.h"
#include "client/cpp/value_type.h"

namespace layoutd::client {

// A plan made once for two types and run on many elements. A regular value.
class RecordConverter {
 public:
  // Plans from structure to structure. Scalars must have the same type, and
  // members the same names (f0, f1 ... for a plain tuple), unless `cast`: then
  // scalars convert and members go by position. Two u64 are a 128-bit integer.
  // Errors: InvalidArgument (TYPE_MISMATCH) — names both types.
  static absl::StatusOr<RecordConverter> Create(const NpyType& from,
                                                const ValueType& to, bool cast);

  // Plans from an array with a trailing axis: scalar k of a value is an element
  // of `from`, `component_stride` bytes after scalar k - 1.
  static absl::StatusOr<RecordConverter> CreateFlat(const NpyType& from,
                                                    int64_t component_stride,
                                                    const ValueType& to,
                                                    bool cast);

  // Whether Run is a plain copy of elements that lie side by side.
  bool IsCopy(int64_t from_stride) const;

  // Converts `count` elements. Units: strides in bytes. Padding of the values
  // is not written.
  void Run(const char* from, int64_t from_stride, char* to, int64_t to_stride,
           int64_t count) const;

 private:
  // One scalar of the value.
  struct Step {
    Scalar from;
    Scalar to;
    int64_t from_offset;
    int64_t to_offset;
    bool swap;  // the byte order of `from`
  };

  absl::Status Match(const NpyType& from, int64_t from_offset,
                     const ValueType& to, int64_t to_offset, bool cast);

  std::vector<Step> steps_;
  int64_t value_bytes_ = 0;
};

}  // namespace layoutd::client

#endif  // LAYOUTD_CLIENT_CPP_RECORD_CONVERT_H_
