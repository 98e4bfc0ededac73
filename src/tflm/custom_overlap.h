// SPDX-License-Identifier: Apache-2.0
// Decides which tensors may share bytes because only custom operators know what
// is in them.
#ifndef STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_
#define STOWAGE_SRC_TFLM_CUSTOM_OVERLAP_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// The effect of bytes that two buffers share.
enum class CustomOverlap {
  // An operator that is not custom, or the caller, could read data that another
  // has overwritten.
  kVisible,
  // Every operator at which both are live is custom and has both as operands.
  // At most one of them has data when it begins, and at most one, which it
  // writes, is used afterwards.
  kIntended,
  // Only custom operators work with the shared bytes, and only they know
  // whether they overwrite data that one of them still needs.
  kUndecided,
  // One is scratch memory (TensorSpec::is_scratch), and no operator that works
  // in it runs while the other is live.
  kNever,
};

// Classifies the overlaps of tensors of a model, which must outlive this.
class CustomOverlaps {
 public:
  explicit CustomOverlaps(const Model& model);

  // Returns the effect if both buffers share bytes. Scratch memory that a
  // kernel asks for is visible. So are tensors of different subgraphs, unless
  // one of them is a scratch tensor: then the overlap is undecided.
  // O(operators).
  CustomOverlap Of(const MicroBuffer& a, const MicroBuffer& b) const;

 private:
  // Describes when a tensor has data. Times are indices of operators.
  struct DataLife {
    bool is_scratch = false;
    bool is_given = false;  // has data before the first operator
    bool is_kept = false;   // has data after the last
    size_t writer = kAbsent;
    size_t last_reader = kAbsent;
    // The last reader that is not custom, and whether the caller, or an
    // operator that is not custom in the next run, reads the tensor.
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
