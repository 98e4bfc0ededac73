// SPDX-License-Identifier: Apache-2.0
// The linear relaxation of shared objects: fractions of classes for the items,
// and a bound. For whole plans use ClassSearch, which asks this class.
//
//   minimise    sum over classes k of size(k) * objects(k)
//   subject to  sum over k of share(i, k) >= 1                     each item i
//               sum over i in C of share(i, k) <= objects(k)       each k,
//               clique C
//
// The rows of cliques are added when they are violated. It is the relaxation of
// hierarchical interval scheduling, and its optimum is that of whole plans for
// nearly all networks. Bounds count as proved only by ChainBound.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CLASS_PROGRAM_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CLASS_PROGRAM_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "optimal/chain_weights.h"
#include "optimal/class_model.h"
#include "src/core/linear_program.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {

// What it takes at most to make a program of so many shares and begin to solve
// it, on the machines we know: in less time it says nothing.
inline std::chrono::milliseconds TimeToMakeProgram(size_t shares) {
  constexpr size_t kPerMillisecond = 4000;
  return std::chrono::milliseconds(shares / kPerMillisecond);
}

// The same for a bound of it in whole numbers.
inline std::chrono::milliseconds TimeToBoundProgram(size_t shares) {
  constexpr size_t kPerMillisecond = 25000;
  return std::chrono::milliseconds(1 + shares / kPerMillisecond);
}

class ClassProgram {
 public:
  enum class Outcome {
    kOptimal,  // of the relaxation: shares and objects are there
    kPruned,   // the bound has reached what was asked for
    kStopped,  // the limits ended it, or the solver failed: the bound holds,
               // but may be that of a round before
  };

  // The model must outlive the object. `program` is empty; the first call of
  // Solve fills it.
  ClassProgram(const ClassModel& model, std::unique_ptr<LinearProgram> program);

  // Relaxes a node until its bound is at least `wanted` bytes. `pivots` is how
  // many may be made, and then how many are left.
  Outcome Solve(const ClassNode& node, size_t wanted, const StopSignal& stop,
                uint64_t* pivots);

  // Of the last call of Solve.
  size_t bound() const { return best_.bytes; }
  double share(uint32_t item, uint32_t k) const {
    return program_->values()[ColumnOf(item, k)];
  }
  double objects(uint32_t k) const { return program_->values()[k]; }
  // What proves the bound: in the fewest digits if there is time for that.
  ChainBound BestBound(const ClassNode& node, const StopSignal& stop) const;
  // What proves that the bound is at least `wanted`, as it is: in few digits.
  ChainBound ShortBound(const ClassNode& node, size_t wanted) const;

 private:
  // The row that counts the objects of a class and of larger ones, and the
  // column by which they may be more than its most, at a price.
  struct CountRow {
    int row = 0;
    int excess = 0;
  };

  size_t ColumnOf(uint32_t item, uint32_t k) const {
    return first_columns_[item] + k - model_.ranges[item].first;
  }
  // These return false if the signal is set before they are done.
  bool AddItems(const StopSignal& stop);
  bool AddDeepestCliques(const StopSignal& stop);
  bool AddRows(const std::vector<LinearRow>& rows, const StopSignal& stop);
  void AddClique(uint32_t k, uint32_t clique, std::vector<LinearRow>* rows);
  void FindViolatedCliques(uint32_t k, std::vector<double>* sums,
                           std::vector<LinearRow>* rows);
  // How the search for rows ends the relaxation, or nothing if there are more.
  absl::optional<Outcome> AddViolatedCliques(const StopSignal& stop);
  CountRow AddCountRow(uint32_t first);
  void Enter(const ClassNode& node);
  ClassPrices PricesOf(const ClassNode& node) const;

  const ClassModel& model_;
  const std::unique_ptr<LinearProgram> program_;
  bool is_begun_ = false;       // the program is no longer empty
  bool is_made_ = false;        // it has the items and the deepest cliques
  const double unit_;           // bytes that cost 1
  const uint64_t quick_scale_;  // of the bounds between the rounds
  std::vector<size_t> first_columns_;  // of each item
  int columns_ = 0;
  int rows_ = 0;
  std::vector<ClassRange> ranges_;           // of the node at hand
  absl::flat_hash_set<uint64_t> cliques_;    // those that are rows
  std::map<uint32_t, CountRow> count_rows_;  // by class
  ChainBound best_;                          // of the last call of Solve
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CLASS_PROGRAM_H_
