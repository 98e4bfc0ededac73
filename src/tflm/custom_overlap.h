// SPDX-License-Identifier: Apache-2.0
// Which tensors may share bytes because custom operators alone know what is in
// them.
#ifndef STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// How bytes that two buffers share look to the operators.
enum class CustomOverlap {
  // An operator that is not custom, or the caller, could read what another has
  // overwritten.
  kVisible,
  // At every operator that has both, at most one brings data and at most one of
  // its outputs is used afterwards.
  kIntended,
  // Custom operators alone work with the shared bytes, and they alone know
  // whether they overwrite what one of them still needs.
  kUndecided,
  // One is scratch memory (TensorSpec::is_scratch), and no operator that works
  // in it runs while the other is live.
  kNever,
};

// Says so of the tensors of a model, which must outlive it.
class CustomOverlaps {
 public:
  explicit CustomOverlaps(const Model& model);

  // Scratch memory that a kernel asks for is visible, as are tensors of
  // different subgraphs, unless one is a scratch tensor: then it is undecided.
  // O(operators).
  CustomOverlap Of(const MicroBuffer& a, const MicroBuffer& b) const;

 private:
  // When a tensor has data, by operators.
  struct DataLife {
    bool is_scratch = false;
    bool is_given = false;  // has data before the first operator
    bool is_kept = false;   // has data after the last
    size_t writer = kAbsent;
    size_t last_reader = kAbsent;
    // The last reader that is not custom, and whether the caller reads it, or
    // an operator that is not custom finds it in the next run.
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
  std::vector<std::vector<DataLife>> lives_;  // by subgraph and tensor
};

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
