// SPDX-License-Identifier: Apache-2.0
// Solves the linear relaxation of shared objects. The solution consists of
// fractions of classes for the items, and a bound. For integral plans, use
// ClassSearch, which calls this class.
//
//   minimise    sum over classes k of size(k) * objects(k)
//   subject to  sum over k of share(i, k) >= 1                     each item i
//               sum over i in C of share(i, k) <= objects(k)       each k,
//               clique C
//
// The row of a clique is added only when the solution violates it. The program
// is the relaxation of hierarchical interval scheduling, and for nearly all
// networks its optimum equals the optimum over integral plans. The solution is
// not exact, so a bound is proved only by a ChainBound.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PROGRAM_H_
#define STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PROGRAM_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "optimal/objects/chain_weights.h"
#include "optimal/objects/class_model.h"
#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "src/construct/linear_program.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

// Returns the maximum time, as measured, that it takes to build a program with
// this number of shares and to begin to solve it. If less time is left, the
// program proves nothing.
inline std::chrono::milliseconds TimeToMakeProgram(size_t shares) {
  constexpr size_t kPerMillisecond = 4000;
  return std::chrono::milliseconds(shares / kPerMillisecond);
}

// Returns the maximum time that it takes to turn the prices of a program with
// this number of shares into integer weights that prove a bound (BoundOfPrices,
// chain_weights.h).
inline std::chrono::milliseconds TimeToBoundProgram(size_t shares) {
  constexpr size_t kPerMillisecond = 25000;
  return std::chrono::milliseconds(1 + shares / kPerMillisecond);
}

class ClassProgram {
 public:
  enum class Outcome {
    kOptimal,  // the relaxation is solved: shares and objects are available
    kPruned,   // the bound has reached the wanted bytes
    // The limits were reached, or the solver failed. The bound is valid, but
    // may come from an earlier round.
    kStopped,
  };

  // The model must outlive this object. Requires that `program` is empty; the
  // first call of Solve fills it.
  ClassProgram(const ClassModel& model, std::unique_ptr<LinearProgram> program);

  // Solves the relaxation of a node until the solution is optimal or the bound
  // is at least `wanted` bytes. `*pivots` is the maximum number of pivots, and
  // is reduced by the number of pivots made.
  Outcome Solve(const ClassNode& node, size_t wanted, const StopSignal& stop,
                uint64_t* pivots);

  // The results of the last call of Solve.
  size_t bound() const { return best_.bytes; }
  double share(uint32_t item, uint32_t k) const {
    return program_->values()[ColumnOf(item, k)];
  }
  double objects(uint32_t k) const { return program_->values()[k]; }
  // Returns the weights that prove the bound. If there is time to search for
  // them, returns weights with as few digits as possible.
  ChainBound BestBound(const ClassNode& node, const StopSignal& stop) const;
  // Returns weights with few digits that prove a bound of at least `wanted`
  // bytes. If no scale with few digits yields such weights, returns the weights
  // of the last call of Solve.
  ChainBound ShortBound(const ClassNode& node, size_t wanted) const;

 private:
  // The row for a count, which counts the objects of a class and of all larger
  // classes. The column `excess` is the number of objects above the maximum of
  // the count, and makes each of them cost a price.
  struct CountRow {
    int row = 0;
    int excess = 0;
  };

  size_t ColumnOf(uint32_t item, uint32_t k) const {
    return first_columns_[item] + k - model_.ranges[item].first;
  }
  // AddItems, AddDeepestCliques and AddRows return false if the signal is set
  // before they are complete.
  bool AddItems(const StopSignal& stop);
  bool AddDeepestCliques(const StopSignal& stop);
  bool AddRows(const std::vector<LinearRow>& rows, const StopSignal& stop);
  void AddClique(uint32_t k, uint32_t clique, std::vector<LinearRow>* rows);
  void FindViolatedCliques(uint32_t k, std::vector<double>* sums,
                           std::vector<LinearRow>* rows);
  // Adds the violated cliques. Returns the outcome of the relaxation, or
  // nullopt if rows were added and the relaxation must be solved again.
  optional<Outcome> AddViolatedCliques(const StopSignal& stop);
  CountRow AddCountRow(uint32_t first);
  void Enter(const ClassNode& node);
  ClassPrices PricesOf(const ClassNode& node) const;

  const ClassModel& model_;
  const std::unique_ptr<LinearProgram> program_;
  // True if rows and columns have been added to the program.
  bool is_begun_ = false;
  // True if the items and the deepest cliques have been added.
  bool is_made_ = false;
  const double unit_;                  // the bytes that cost 1 in the program
  const uint64_t quick_scale_;         // the scale of the bounds between rounds
  std::vector<size_t> first_columns_;  // is indexed by item
  int columns_ = 0;
  int rows_ = 0;
  std::vector<ClassRange> ranges_;   // the ranges of the current node
  flat_hash_set<uint64_t> cliques_;  // the (class, clique) pairs that are rows
  std::map<uint32_t, CountRow> count_rows_;  // is indexed by class
  ChainBound best_;  // the best bound of the last call of Solve
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_OBJECTS_CLASS_PROGRAM_H_
