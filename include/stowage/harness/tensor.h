// SPDX-License-Identifier: Apache-2.0
// Represents a tensor of a running model: its type, shape and bytes. For a
// tensor of a model file, see tflite/model.h.
//
// Tensors are row-major. Multi-byte elements are little-endian, and the machine
// must be little-endian too. An image is [batch, height, width, channels]. To
// plan memory, no tensors are needed; see usage_record.h.
#ifndef STOWAGE_HARNESS_TENSOR_H_
#define STOWAGE_HARNESS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness {

// A tensor of a running graph, which the interpreter owns. Whenever an operator
// that reads or writes the tensor is invoked, `bytes` is the size that results
// from its type and shape, and `data` points to `bytes` bytes, aligned to at
// least 16.
struct Tensor {
  std::string name;
  ElementType type = ElementType::kFloat32;
  Shape shape;
  Quantization quantization;
  Storage storage = Storage::kNone;
  bool is_variable = false;
  // True if the elements depend only on shapes and constants. They are then
  // computed when the graph is prepared, before the memory is planned.
  bool has_known_value = false;
  size_t bytes = 0;
  void* data = nullptr;
  int32_t resource = -1;  // the number of the resource that kResource refers to
  // A number that represents the value of a tensor without bytes, such as a
  // string. It is written by a shadow (shadow.h) or generated from a seed
  // (inputs.h).
  uint64_t digest = 0;

  bool is_constant() const { return storage == Storage::kConstant; }
  // Returns whether a kernel can read the elements in Prepare. Delegates must
  // use is_constant instead, because a computed known value is in an arena, and
  // moves with the arena.
  bool is_known() const { return is_constant() || has_known_value; }
  int rank() const { return static_cast<int>(shape.size()); }
  // Returns the extent of dimension `i`. Negative dimensions count from the
  // last one.
  int32_t dim(int i) const {
    return shape[static_cast<size_t>(i < 0 ? i + rank() : i)];
  }
  // Returns the number of elements, which is 0 if any dimension is 0,
  // regardless of the size of the others.
  int64_t elements() const {
    int64_t count = 1;
    for (const int32_t d : shape) {
      if (d == 0) return 0;
    }
    for (const int32_t d : shape) count *= d;
    return count;
  }

  // The following functions return the elements. T must be the C++ type of
  // `type`.
  template <typename T>
  T* as() {
    return static_cast<T*>(data);
  }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  absl::Span<const T> span() const {
    return {as<T>(), bytes / sizeof(T)};
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_TENSOR_H_
