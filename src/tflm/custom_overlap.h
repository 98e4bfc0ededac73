// SPDX-License-Identifier: Apache-2.0
// Determines whether two tensors may share bytes. This is uncertain only if
// custom operators use these bytes, because the purpose of the bytes is known
// only to the operators themselves.
#ifndef STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// The consequence if two buffers share bytes.
enum class CustomOverlap {
  // The caller, or an operator that is not custom, could read data that another
  // operator has overwritten.
  kVisible,
  // The overlap is intended by the compiler of the model. Every operator at
  // which both tensors are live is custom and has both tensors as operands.
  // When such an operator begins, at most one of the tensors has data. After it
  // has finished, at most one of the tensors is still used, and this operator
  // has written that tensor.
  kIntended,
  // Only custom operators use the shared bytes, and only these operators know
  // whether one of them overwrites data that another one still needs.
  kUndecided,
  // The overlap has no effect. One of the two tensors is scratch memory
  // (TensorSpec::is_scratch), and no operator that uses it runs while the other
  // tensor is live.
  kNever,
};

// Classifies overlaps of tensors in a model. The model must outlive this
// object.
class CustomOverlaps {
 public:
  explicit CustomOverlaps(const Model& model);

  // Returns the consequence if the two buffers share bytes. Returns kVisible if
  // one of them is scratch memory that a kernel requests. For tensors of
  // different subgraphs, returns kUndecided if one of them is a scratch tensor,
  // otherwise kVisible. O(operators).
  CustomOverlap Of(const MicroBuffer& a, const MicroBuffer& b) const;

 private:
  // The times at which a tensor has data, as indices of operators.
  struct DataLife {
    bool is_scratch = false;
    // True if the tensor has data before the first operator.
    bool is_given = false;
    // True if the tensor has data after the last operator.
    bool is_kept = false;
    size_t writer = kAbsent;
    size_t last_reader = kAbsent;
    // `last_other_reader` is the last reader that is not custom.
    // `is_kept_for_others` states whether the tensor is read by the caller, or
    // in the next run by an operator that is not custom.
    size_t last_other_reader = kAbsent;
    bool is_kept_for_others = false;
  };

  static bool IsLiveAt(const DataLife& life, bool is_operand, size_t op);
  static bool BringsData(const DataLife& life, size_t op);
  static bool IsUsedAfter(const DataLife& life, size_t op);
  static bool IsLostToCustomAlone(const DataLife& life, bool is_operand,
                                  size_t op);
  static CustomOverlap AtCustom(const DataLife& a, const DataLife& b,
                                bool has_a, bool has_b, size_t op);

  const Model& model_;
  // The lifetime of each tensor, indexed by subgraph and then by tensor.
  std::vector<std::vector<DataLife>> lives_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
