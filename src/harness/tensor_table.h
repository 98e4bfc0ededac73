// SPDX-License-Identifier: Apache-2.0
// Holds the tensors of a running subgraph: the tensors of the model, followed
// by the temporaries of operators. Owns the memory of dynamic tensors. For the
// memory of tensors in arenas use arena_memory.h.
#ifndef STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_
#define STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The maximum number of temporaries of an operator. Room for all of them is
// reserved at the start, so a kernel may keep a reference to one tensor while
// it adds another.
constexpr size_t kMaxTemporaries = 16;

// Returns the error for an operator that resizes a variable. A variable keeps
// its memory from run to run, so it must keep the shape that the model
// declares.
absl::Status ResizedVariable(const Tensor& variable, const Shape& shape);

class TensorTable {
 public:
  // Requires that `spec` and `budget` outlive this object.
  TensorTable(const SubgraphSpec& spec, MemoryBudget* budget);

  size_t size() const { return tensors_.size(); }
  Tensor& operator[](size_t index) { return tensors_[index]; }
  const Tensor& operator[](size_t index) const { return tensors_[index]; }
  absl::Span<Tensor> all() { return absl::MakeSpan(tensors_); }

  // Resets all tensors to their descriptions in the model, except for the
  // shapes of inputs, and removes all temporaries.
  void Reset();
  // Resets a tensor to its description in the model.
  void ResetTensor(size_t index);
  // Sets the shape that input `i` of the graph has from the next Reset on.
  void SetInputShape(size_t i, const Shape& shape) { input_shapes_[i] = shape; }
  // From the next Reset on, input `i` of the graph represents an argument of a
  // call. It then has no memory of its own, and its storage is
  // Storage::kCustom, as for all memory provided from outside. If `varies` is
  // true, its shape may differ from call to call. If `is_copied` is true and
  // `varies` is false, the input has its own memory after all, to which the
  // argument is copied.
  void SetArgument(size_t i, const Shape& shape, bool varies, bool is_copied);
  // Binds the inputs that represent arguments to the memory of the arguments.
  // Copies an argument if its input has its own memory.
  void BindArguments(absl::Span<const Tensor* const> arguments);
  // Returns whether the tensor represents an argument of varying shape.
  bool Varies(size_t index) const { return varying_.count(index) > 0; }
  const Shape& input_shape(size_t i) const { return input_shapes_[i]; }
  // Sets the shape that replaces the shape of a tensor in the model from the
  // next Reset on. The tensor may be an input. Requires that the tensor has
  // fewer than 2^64 bytes with this shape.
  void SetDeclaredShape(size_t index, const Shape& shape);
  const Shape& declared_shape(size_t index) const;
  bool HasGivenShape(size_t index) const { return given_.count(index) > 0; }
  // Marks a tensor that is computed only once and then kept in persistent
  // memory.
  void SetFolded(size_t index);
  bool is_folded(size_t index) const {
    return index < is_folded_.size() && is_folded_[index];
  }
  // Moves a tensor from the arena to persistent memory, and allocates memory
  // for its value, which is computed before the arenas exist
  // (Tensor::has_known_value). Error: ResourceExhausted if the memory limit is
  // exceeded.
  absl::Status AllocateKnown(size_t index);
  // Moves a tensor back to the arena if its value is known.
  void ForgetKnown(size_t index);
  // Sets the memory that the caller provides for a tensor. It takes effect at
  // the next Reset, or immediately if the tensor already has custom memory.
  void SetCustom(size_t index, absl::Span<uint8_t> memory);
  // Returns the memory that the caller provides, by tensor.
  const std::map<size_t, absl::Span<uint8_t>>& custom() const {
    return custom_;
  }
  // Sets how many bytes are readable after the end of each arena and of each
  // dynamic tensor. Memory that is already allocated does not change.
  void set_spare_bytes(size_t bytes) { spare_bytes_ = bytes; }
  // Does the same as set_spare_bytes, but only if `bytes` exceeds the current
  // number.
  void RaiseSpareBytes(size_t bytes) {
    spare_bytes_ = std::max(spare_bytes_, bytes);
  }
  size_t spare_bytes() const { return spare_bytes_; }

  // Adds a temporary and returns its index.
  size_t AddTemporary(const std::string& name, ElementType type,
                      const Shape& shape, size_t bytes);
  // Removes all tensors except the first `count`, which must include all
  // tensors of the model.
  void DropTemporaries(size_t count);
  // Reserves room for the temporaries of all operators after the current
  // tensors.
  void ReserveTemporaries();

  // Gives a dynamic tensor a shape and new memory. Error: ResourceExhausted if
  // the memory limit is exceeded, in which case the tensor has no memory.
  absl::Status AllocateDynamic(size_t index, const Shape& shape, size_t bytes);
  void FreeDynamic(size_t index);

 private:
  const SubgraphSpec& spec_;
  MemoryBudget* budget_;
  std::vector<Shape> input_shapes_;
  // The inputs that stand for arguments.
  std::set<size_t> arguments_;
  // The arguments whose shapes vary.
  std::set<size_t> varying_;
  std::map<size_t, Shape> given_;  // is indexed by tensor of the model
  std::vector<bool> is_folded_;    // is indexed by tensor of the model
  // The memory that the caller provides, by tensor of the model.
  std::map<size_t, absl::Span<uint8_t>> custom_;
  size_t spare_bytes_ = 0;
  std::vector<Tensor> tensors_;
  // The memory of dynamic tensors, by tensor. Most blocks are empty.
  std::vector<MemoryBlock> dynamic_;
  // The memory of known values, by tensor. ForgetKnown does not free it,
  // because a snapshot of the tensors may refer to it.
  std::map<size_t, MemoryBlock> known_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_
