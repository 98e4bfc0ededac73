// The bytes that a tensor of a model takes.
#ifndef STOWAGE_SRC_TFLITE_TENSOR_BYTES_H_
#define STOWAGE_SRC_TFLITE_TENSOR_BYTES_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "src/tflite/model_generated.h"

namespace stowage {

// Elements smaller than a byte are packed, and the last byte counts whole. What
// has no fixed size (strings, resources, variants) has 0 bytes. Error:
// InvalidArgument for a negative dimension, an unknown type, a size above
// 2^64 - 1. O(dimensions).
absl::StatusOr<size_t> TensorBytes(const tflite::Tensor& tensor);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_TENSOR_BYTES_H_
