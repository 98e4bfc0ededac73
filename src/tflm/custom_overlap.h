// SPDX-License-Identifier: Apache-2.0
// Decides whether two tensors may share bytes. This is in doubt only where
// custom operators work with these bytes, since only the operators themselves
// know what the bytes are for.
#ifndef STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// Says what the consequence is if two buffers share bytes.
enum class CustomOverlap {
  // An operator that is not custom, or the caller, could read data that another
  // operator has overwritten.
  kVisible,
  // The overlap is intended by the compiler of the model. Every operator at
  // which both tensors are live is custom and has both as operands. When such
  // an operator begins, at most one of the tensors has data. When it has ended,
  // at most one of the tensors is still used, namely one that this operator has
  // written.
  kIntended,
  // Only custom operators work with the shared bytes. Only these operators know
  // whether one of them overwrites data that another one still needs.
  kUndecided,
  // The overlap has no effect. One of the two is scratch memory
  // (TensorSpec::is_scratch), and no operator that works in it runs while the
  // other tensor is live.
  kNever,
};

// Classifies overlaps of tensors of a model. The model must outlive this
// object.
class CustomOverlaps {
 public:
  explicit CustomOverlaps(const Model& model);

  // Returns the consequence if the two buffers share bytes. Returns kVisible if
  // one of them is scratch memory that a kernel asks for. For tensors of
  // different subgraphs, returns kUndecided if one of them is a scratch tensor,
  // else kVisible. O(operators).
  CustomOverlap Of(const MicroBuffer& a, const MicroBuffer& b) const;

 private:
  // Describes when a tensor has data. Times are indices of operators.
  struct DataLife {
    bool is_scratch = false;
    // Says whether the tensor has data before the first operator.
    bool is_given = false;
    // Says whether the tensor has data after the last operator.
    bool is_kept = false;
    size_t writer = kAbsent;
    size_t last_reader = kAbsent;
    // last_other_reader is the last reader that is not custom.
    // is_kept_for_others says whether the caller reads the tensor, or an
    // operator that is not custom reads it in the next run.
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
  // The life of each tensor, indexed by subgraph, then by tensor.
  std::vector<std::vector<DataLife>> lives_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
