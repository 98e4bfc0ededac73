// SPDX-License-Identifier: Apache-2.0
// The tensors of a running subgraph: those of the model, followed by the
// temporaries of operators. It owns the memory of dynamic tensors;
// arena_memory.h owns that of the others.
#ifndef STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_
#define STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/memory.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The maximum number of temporaries of an operator. Room for all of them is
// reserved at the start, so that kernels may keep a reference to a tensor while
// they ask for another.
constexpr size_t kMaxTemporaries = 16;

class TensorTable {
 public:
  // `spec` and `budget` must outlive this.
  TensorTable(const SubgraphSpec& spec, MemoryBudget* budget);

  size_t size() const { return tensors_.size(); }
  Tensor& operator[](size_t index) { return tensors_[index]; }
  const Tensor& operator[](size_t index) const { return tensors_[index]; }
  absl::Span<Tensor> all() { return absl::MakeSpan(tensors_); }

  // Resets all tensors to those of the model, except for shapes of inputs, and
  // removes temporaries.
  void Reset();
  // Resets a tensor to that of the model.
  void ResetTensor(size_t index);
  // Sets the shape of input `i` of the graph from the next Reset on.
  void SetInputShape(size_t i, const Shape& shape) { input_shapes_[i] = shape; }
  // Sets the shape of a tensor, in place of that of the model, from the next
  // Reset on. The tensor may be an input. Requires fewer than 2^64 bytes.
  void SetDeclaredShape(size_t index, const Shape& shape);
  const Shape& declared_shape(size_t index) const;
  bool HasGivenShape(size_t index) const { return given_.count(index) > 0; }
  // Marks a tensor that is computed once, into persistent memory.
  void SetFolded(size_t index);
  bool is_folded(size_t index) const {
    return index < is_folded_.size() && is_folded_[index];
  }
  // Sets memory given by the caller: from the next Reset on, or at once for a
  // tensor that already has such memory.
  void SetCustom(size_t index, absl::Span<uint8_t> memory);
  // Returns every tensor with memory given by the caller, with that memory.
  const std::map<size_t, absl::Span<uint8_t>>& custom() const {
    return custom_;
  }
  // Sets the bytes after dynamic tensors that can be read.
  void set_spare_bytes(size_t bytes) { spare_bytes_ = bytes; }

  // Adds a temporary and returns its index.
  size_t AddTemporary(const std::string& name, ElementType type,
                      const Shape& shape, size_t bytes);
  // Keeps the first `count` tensors, which must include all of the model.
  void DropTemporaries(size_t count);
  // Reserves room for the temporaries of all operators after the present
  // tensors.
  void ReserveTemporaries();

  // Gives a dynamic tensor a shape and new memory. Error: ResourceExhausted
  // above the memory limit; it then has no memory.
  absl::Status AllocateDynamic(size_t index, const Shape& shape, size_t bytes);
  void FreeDynamic(size_t index);

 private:
  const SubgraphSpec& spec_;
  MemoryBudget* budget_;
  std::vector<Shape> input_shapes_;
  std::map<size_t, Shape> given_;                 // by tensor of the model
  std::vector<bool> is_folded_;                   // by tensor of the model
  std::map<size_t, absl::Span<uint8_t>> custom_;  // by tensor of the model
  size_t spare_bytes_ = 0;
  std::vector<Tensor> tensors_;
  std::vector<MemoryBlock> dynamic_;  // by tensor; most are empty
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_
