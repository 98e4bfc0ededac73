// SPDX-License-Identifier: Apache-2.0
// The tensors of a subgraph that runs: those of the model, then temporaries of
// operators. Has the memory of dynamic ones; arena_memory.h has that of others.
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

// Of one operator. Room for all of them is there from the start, so that
// kernels may keep a reference to a tensor while they ask for another.
constexpr size_t kMaxTemporaries = 16;

class TensorTable {
 public:
  // `spec` and `budget` must outlive this.
  TensorTable(const SubgraphSpec& spec, MemoryBudget* budget);

  size_t size() const { return tensors_.size(); }
  Tensor& operator[](size_t index) { return tensors_[index]; }
  const Tensor& operator[](size_t index) const { return tensors_[index]; }
  absl::Span<Tensor> all() { return absl::MakeSpan(tensors_); }

  // All as in the model but for shapes of inputs, and no temporaries.
  void Reset();
  // A tensor of the model as it is there.
  void ResetTensor(size_t index);
  // The shape of input `i` of the graph from the next Reset on.
  void SetInputShape(size_t i, const Shape& shape) { input_shapes_[i] = shape; }
  // Computed once, into persistent memory.
  void SetFolded(size_t index);
  bool is_folded(size_t index) const {
    return index < is_folded_.size() && is_folded_[index];
  }
  // From the next Reset on, and for a tensor that is custom already at once.
  void SetCustom(size_t index, absl::Span<uint8_t> memory);
  // Every tensor that is custom, with its memory.
  const std::map<size_t, absl::Span<uint8_t>>& custom() const {
    return custom_;
  }
  // Bytes after dynamic tensors that can be read.
  void set_spare_bytes(size_t bytes) { spare_bytes_ = bytes; }

  // Returns its index.
  size_t AddTemporary(const std::string& name, ElementType type,
                      const Shape& shape, size_t bytes);
  // Leaves `count` tensors, all of the model among them.
  void DropTemporaries(size_t count);
  // Makes room for the temporaries of all operators after what is there.
  void ReserveTemporaries();

  // Gives a dynamic tensor a shape and new memory. Error: ResourceExhausted
  // above the memory limit; it has no memory then.
  absl::Status AllocateDynamic(size_t index, const Shape& shape, size_t bytes);
  void FreeDynamic(size_t index);

 private:
  const SubgraphSpec& spec_;
  MemoryBudget* budget_;
  std::vector<Shape> input_shapes_;
  std::vector<bool> is_folded_;                   // of the model's
  std::map<size_t, absl::Span<uint8_t>> custom_;  // by tensor of the model
  size_t spare_bytes_ = 0;
  std::vector<Tensor> tensors_;
  std::vector<MemoryBlock> dynamic_;  // by tensor; most are empty
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_TENSOR_TABLE_H_
