// SPDX-License-Identifier: Apache-2.0
// Represents a tensor of a running model: its type, shape and bytes. For a
// tensor of a model file, see tflite/model.h.
//
// Tensors are row-major. Multi-byte elements are little-endian, which must also
// be the byte order of the machine. An image is [batch, height, width,
// channels]. Planning needs none of this; see usage_record.h.
#ifndef STOWAGE_HARNESS_TENSOR_H_
#define STOWAGE_HARNESS_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/storage.h"

namespace stowage::harness {

// A tensor of a graph that runs. The interpreter owns it. Whenever an operator
// that reads or writes the tensor is invoked, `bytes` is the size that follows
// from its type and shape, and `data` points to that many bytes, aligned to at
// least 16.
struct Tensor {
  std::string name;
  ElementType type = ElementType::kFloat32;
  Shape shape;
  Quantization quantization;
  Storage storage = Storage::kNone;
  bool is_variable = false;
  // True if shapes and constants alone determine the elements. The elements are
  // then computed when the graph is prepared, before the memory is planned.
  bool has_known_value = false;
  size_t bytes = 0;
  void* data = nullptr;
  int32_t resource = -1;  // the number of the resource that kResource refers to
  // A number that stands for the value of a tensor without bytes, such as a
  // string. The number was written by a shadow (shadow.h) or generated from a
  // seed (inputs.h).
  uint64_t digest = 0;

  bool is_constant() const { return storage == Storage::kConstant; }
  // Returns whether a kernel can read the elements in Prepare. Delegates must
  // use is_constant instead: if a known value is computed, it lies in an arena,
  // and moves with the arena.
  bool is_known() const { return is_constant() || has_known_value; }
  int rank() const { return static_cast<int>(shape.size()); }
  // Returns the number of elements in dimension `i`. Negative dimensions count
  // from the last one.
  int32_t dim(int i) const {
    return shape[static_cast<size_t>(i < 0 ? i + rank() : i)];
  }
  // Returns the number of elements: 0 if a dimension is 0, however large the
  // others are.
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
