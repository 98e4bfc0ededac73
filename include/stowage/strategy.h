// SPDX-License-Identifier: Apache-2.0
// Defines the interface of strategies. The registry (registry.h) finds a
// strategy by name.
//
// To get a plan, use planner.h instead: it checks the problem, refuses problems
// that the strategy does not support, and verifies the result. Include this
// header to write a new strategy:
//
//   class Mine : public Strategy {
//    public:
//     const StrategyInfo& info() const override;
//     StatusOr<Solution> Solve(
//         const Problem& problem, const SolveOptions& options) const override {
//       OffsetsAssignment plan;
//       ...                       // problem.records(), problem.alignments()
//       return plan;
//     }
//   };
//
// Then either put the strategy into a folder under strategies/
// (docs/adding-a-strategy.md), or pass it to RegisterStrategy (registry.h) when
// your program starts.
#ifndef STOWAGE_STRATEGY_H_
#define STOWAGE_STRATEGY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/write_text.h"

namespace stowage {

// The built-in strategies of AssignOffsetsToTensors and AssignObjectsToTensors
// (planner.h). All other strategies have only names.
enum class MemoryStrategy {
  NAIVE,              // each tensor has its own memory
  EQUALITY,           // tensors of equal size share memory
  GREEDY_IN_ORDER,    // reuses the free object or gap of the closest size
  GREEDY_BY_BREADTH,  // places the broadest tasks first
  GREEDY_BY_SIZE,     // places the largest tensors first
  GREEDY_BEST,        // takes the smallest of several greedy plans
  MINCOSTFLOW,        // chooses reuse by a minimum-cost flow
};

// Returns the name of the strategy in the registry: "naive", "equality",
// "greedy_in_order" and so on.
string_view StrategyName(MemoryStrategy strategy);

// A description of a strategy. Set each field by its name.
struct StrategyInfo {
  std::string name;     // the name that users write: lower case, digits and '_'
  std::string summary;  // one line
  std::string complexity;  // the time for n records
  std::string source;      // the paper and section, or "own"
  // The features that the strategy supports. The planner refuses a problem that
  // requires any other feature, and lists all missing features.
  FeatureSet features;
  // True if the order of the records does not change the plan, provided that no
  // two records have the same first task or the same size.
  bool is_order_independent = false;
  // True if the strategy observes the limits of SolveOptions and returns no
  // plan above the capacity of the problem. Other strategies stop by
  // themselves, and may ignore the limits and the capacity.
  bool is_search = false;
};

// The incumbent of a search, and the bound that the search has proved so far.
struct SearchProgress {
  // The size of the incumbent in bytes, which may exceed the capacity of the
  // problem.
  size_t total_size = 0;
  size_t lower_bound = 0;  // is in bytes
  uint64_t nodes = 0;      // the nodes that have been searched so far
  std::string found_by;    // is like Solution::found_by
  // `cost` and `cost_bound` are set only for problems with preferences
  // (Constraints::prefer_apart).
  optional<uint64_t> cost = nullopt;
  uint64_t cost_bound = 0;
};

// Watches a search and may stop it. A stopped search returns what it has found
// so far: a plan with its bound, or no plan. Both functions are called only on
// the thread that called Solve, whatever the number of threads, and never after
// one of them has returned false. They may call this library. To stop a search
// from another thread, let KeepGoing read an atomic variable that the other
// thread sets.
class Observer {
 public:
  virtual ~Observer() = default;

  // Called with the first plan, and with every better plan or bound. Totals
  // never increase, and bounds never decrease. If the pools of a problem are
  // planned one after the other, each total and each bound concerns only one
  // pool. Returns false to stop the search.
  //
  // Under constraints that the planner cannot reduce to simpler problems, this
  // function is called only if there is one memory and plans have a cost
  // because of preferences. In this case costs never increase, but a total may
  // increase if the cost decreases. Plans that annealing finds are reported at
  // the end of a round of annealing.
  virtual bool OnProgress(const SearchProgress& progress);

  // Called at least every 20 ms while a strategy searches, unless the machine
  // is overloaded or a million records are being sorted. Returns false to stop
  // the search.
  virtual bool KeepGoing();
};

// Stands for no time limit.
constexpr int64_t kNoTimeLimit = std::numeric_limits<int64_t>::max();

// The limits and resources of a search. All strategies have the same options;
// strategies that do not search ignore them, with one exception: the observer
// can stop "skyline" while it chooses pools.
struct SolveOptions {
  // The maximum time of the strategy itself, in nanoseconds. The whole call may
  // take up to 50 ms longer. kNoTimeLimit means no limit; 0 or less means no
  // time.
  int64_t time_limit_ns = 100'000'000;
  // The number of nodes to search. A node budget replaces the time limit, and
  // the plan is then the same on every machine and for any number of threads.
  // If the planner chooses groups or pairs, however, both limits apply, and the
  // plan is the same everywhere only if the time limit is kNoTimeLimit.
  optional<uint64_t> node_budget;
  uint64_t seed = 1;
  size_t threads = 1;  // 0 stands for one thread on each core
  // If true, the search stops at the first plan within the capacity of the
  // problem. If false, it continues until it finds the optimum or reaches its
  // limits.
  bool decide = false;
  // If true, a strategy that does not support groups or a partial order
  // receives a relaxation of the problem. The relaxation replaces each group by
  // one record that is as large as the group, and the partial order by one
  // sequence of tasks. The plan is safe, but may be larger than necessary, and
  // is never kOptimal.
  bool relax_to_boxes = false;
  Observer* observer = nullptr;  // is not owned, and may be null
  // A solution with a plan that is known before the search. If the planner
  // chose the order of the tasks or the places of the records for that plan,
  // the solution must have them (Solution::order, places). Solve verifies the
  // plan, and returns it unless it finds a plan of lower cost, or of the same
  // cost and fewer bytes. Strategies never receive the incumbent. Not owned;
  // may be null.
  const Solution* incumbent = nullptr;
};

// Records with sizes of several components, and the shared objects for such
// records. All sizes in a list have the same type. Only AssignObjectsToTensors
// (planner.h) uses these two types; in a Problem, sizes are numbers of bytes.
using ExtentRecords = std::variant<Span<const TensorUsageRecord<uint2>>,
                                   Span<const TensorUsageRecord<uint3>>,
                                   Span<const TensorUsageRecord<BHWC>>>;
using ExtentObjects =
    std::variant<ObjectsAssignment<uint2>, ObjectsAssignment<uint3>,
                 ObjectsAssignment<BHWC>>;

// An algorithm that solves problems. Implementations must have no state, since
// calls may run concurrently.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual const StrategyInfo& info() const = 0;

  // Solves one problem. The planner calls this function only with problems that
  // require no features beyond `info().features` and have neither a free order
  // nor optional groups.
  //
  // Returns a plan of the kind problem.kind(), with the records in the order of
  // the problem, which may be any order. A search may instead return
  // kInfeasible or kTimeLimit without a plan. The strategy has to set what a
  // search has proved (Solution::lower_bound, nodes, conflict) and, if the
  // strategy has several parts, the part that found the plan (found_by). The
  // planner verifies the plan and sets total, status, proof and time.
  //
  // Error: ResourceExhausted if there are too many records for the strategy.
  virtual StatusOr<Solution> Solve(const Problem& problem,
                                   const SolveOptions& options) const = 0;

  // Assigns shared objects to records that CheckUsageRecords accepts. Returns
  // objects with sizes of the same type; AssignObjectsToTensors verifies them.
  // Error: Unimplemented if the strategy does not support the type (the message
  // names the strategy). The default implementation returns this error.
  virtual StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const;

  // Repeats the search of `proof`, and passes the log of the search
  // (docs/certificates.md) to `write`, one piece every few milliseconds.
  // Requires that this strategy made `proof` for this problem. Takes as long as
  // the original search. A strategy that returns solutions with a SearchProof
  // must override this function. Errors: Unimplemented if the strategy does not
  // override this function; the first error of `write`, which ends the log.
  virtual Status WriteSearchLog(const Problem& problem,
                                const SearchProof& proof,
                                const WriteText& write) const;
};

}  // namespace stowage

#endif  // STOWAGE_STRATEGY_H_
