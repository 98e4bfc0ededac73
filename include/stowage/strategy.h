// SPDX-License-Identifier: Apache-2.0
// The interface of a strategy, and the registry that finds one by name.
//
// To get a plan, use planner.h: it checks the problem, refuses what a strategy
// does not support and verifies the result. Include this header to write a
// strategy of your own:
//
//   class Mine : public Strategy {
//    public:
//     const StrategyInfo& info() const override;
//     absl::StatusOr<Solution> Solve(
//         const Problem& problem, const SolveOptions& options) const override {
//       OffsetsAssignment plan;
//       ...                       // problem.records(), problem.alignments()
//       return plan;
//     }
//   };
//
// and either make it a folder under strategies/ (docs/adding-a-strategy.md) or
// hand it to RegisterStrategy at the start of your program.
#ifndef STOWAGE_STRATEGY_H_
#define STOWAGE_STRATEGY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// The classic strategies. Others are known by name only.
enum class MemoryStrategy {
  NAIVE,              // every tensor its own memory
  EQUALITY,           // reuse among tensors of equal size
  GREEDY_IN_ORDER,    // reuse whatever is free, closest size first
  GREEDY_BY_BREADTH,  // broadest task first
  GREEDY_BY_SIZE,     // largest tensor first
  GREEDY_BEST,        // the best of the greedy strategies
  MINCOSTFLOW,        // reuse chosen by a minimum-cost flow
};

// "naive", "equality", "greedy_in_order", ...: the name in the registry.
absl::string_view StrategyName(MemoryStrategy strategy);

// What a strategy is, set field by field; the last two are false unless said.
struct StrategyInfo {
  std::string name;        // lower case, digits and '_': the name users type
  std::string summary;     // one line
  std::string complexity;  // time, for n records
  std::string source;      // paper and section, or "own"
  // What it supports. The planner refuses a problem that requires anything
  // else, and lists all of it.
  FeatureSet features;
  // The plan does not depend on the order of the records, as long as no two
  // have the same first task or the same size.
  bool is_order_independent = false;
  // It honours the limits of SolveOptions, and returns no plan above the
  // problem's capacity. Others end by themselves and may ignore both.
  bool is_search = false;
};

// The incumbent of a search and the bound that it has proved.
struct SearchProgress {
  size_t total_size = 0;   // bytes; may exceed the problem's capacity
  size_t lower_bound = 0;  // bytes
  uint64_t nodes = 0;      // searched so far
  std::string found_by;    // as Solution::found_by
};

// How long a search may go on, and what it may use. The same for the whole
// library; strategies that do not search ignore it.
struct SolveOptions {
  // Of the strategy's own call; overrun by less than 50 ms.
  absl::Duration time_limit = absl::Milliseconds(100);
  // Nodes to search, in place of the time limit: the plan is then the same on
  // every machine and for any number of threads.
  absl::optional<uint64_t> node_budget;
  uint64_t seed = 1;
  size_t threads = 0;  // 0 for one on each core
  // Whether the first plan within the problem's capacity ends the search, which
  // else goes on to the optimum or its limits.
  bool decide = false;
  // Whether a strategy that knows no groups or no partial order is given hulls
  // in their place: a group as one record of its extent, an order as one
  // sequence. The plan is safe, larger, and never kOptimal.
  bool relax_to_hulls = false;
  // Called with the first plan and with every better plan or bound, by the
  // thread that plans: totals never rise, and bounds never fall.
  std::function<void(const SearchProgress&)> progress;
  // Not owned; null for none. Once true, the search ends with what it has.
  const std::atomic<bool>* cancelled = nullptr;
};

// An algorithm that solves problems. Implementations hold no state: calls may
// run at the same time.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual const StrategyInfo& info() const = 0;

  // Called only with problems that require nothing outside `info().features`.
  // Returns a plan of problem.kind(), in the order of the records, which may
  // come in any; or, of a search, no plan and kInfeasible or kTimeLimit. It
  // states what a search has proved (Solution::lower_bound, nodes, conflict)
  // and which part of it found the plan (found_by), if there are several; the
  // planner verifies the plan and fills in total, status, proof and time.
  //
  // Error: ResourceExhausted if the records are too many for the strategy.
  virtual absl::StatusOr<Solution> Solve(const Problem& problem,
                                         const SolveOptions& options) const = 0;
};

// Adds a strategy to those that FindStrategy knows, for the life of the
// program. Error: InvalidArgument for null, for a name that is not made of
// lower-case letters, digits and '_', and for a strategy that states nothing it
// can plan; AlreadyExists for a name that is taken. Thread-safe.
absl::Status RegisterStrategy(std::unique_ptr<const Strategy> strategy);

// The strategy of that name. Error: NotFound, listing the names there are.
// The pointer stays valid. Thread-safe.
absl::StatusOr<const Strategy*> FindStrategy(absl::string_view name);

// All strategies, by name. Thread-safe.
std::vector<const Strategy*> AllStrategies();

}  // namespace stowage

#endif  // STOWAGE_STRATEGY_H_
