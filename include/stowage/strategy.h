// SPDX-License-Identifier: Apache-2.0
// Defines the interface of a strategy. The registry (registry.h) finds a
// strategy by its name.
//
// To get a plan, use planner.h: it checks the problem, refuses what a strategy
// does not support and verifies the result. Include this header to write a
// strategy of your own:
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

// The classic strategies. All other strategies are known by name only.
enum class MemoryStrategy {
  NAIVE,              // each tensor has its own memory
  EQUALITY,           // tensors of equal size share memory
  GREEDY_IN_ORDER,    // reuses the free object or gap of the closest size
  GREEDY_BY_BREADTH,  // places the broadest tasks first
  GREEDY_BY_SIZE,     // places the largest tensors first
  GREEDY_BEST,        // takes the smallest of several greedy plans
  MINCOSTFLOW,        // chooses reuse by a minimum-cost flow
};

// Returns the name in the registry: "naive", "equality", "greedy_in_order" and
// so on.
string_view StrategyName(MemoryStrategy strategy);

// Describes a strategy. Set each field by its name.
struct StrategyInfo {
  std::string name;     // the name that users write: lower case, digits and '_'
  std::string summary;  // one line
  std::string complexity;  // the time for n records
  std::string source;      // the paper and section, or "own"
  // The features that the strategy supports. The planner refuses a problem that
  // requires any other feature, and lists all missing features.
  FeatureSet features;
  // True if the plan does not depend on the order of the records, as long as no
  // two records have the same first task or the same size.
  bool is_order_independent = false;
  // True if the strategy honours the limits of SolveOptions and returns no plan
  // above the problem's capacity. Other strategies end by themselves, and may
  // ignore the limits and the capacity.
  bool is_search = false;
};

// The incumbent of a search and the bound that the search has proved.
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

// Watches a search and may end it. A search that is ended returns what it has
// found so far: a plan with its bound, or no plan. Both functions are called
// only on the thread that called Solve, whatever the number of threads, and
// never after one of them has returned false. They may call this library. To
// end a search from another thread, let KeepGoing read an atomic variable that
// the other thread sets.
class Observer {
 public:
  virtual ~Observer() = default;

  // Is called with the first plan and with every better plan or bound. Totals
  // never rise, and bounds never fall. If the pools of a problem are planned
  // one after the other, each total and each bound concerns only one pool.
  // Returns false to end the search.
  //
  // Under constraints that the planner cannot reduce to simpler problems, this
  // function is called only if there is one memory and plans have a cost
  // because of preferences. In this case costs never rise, but a total may rise
  // if the cost falls. Plans that are found by annealing are reported at the
  // end of a round of annealing.
  virtual bool OnProgress(const SearchProgress& progress);

  // Is called at least every 20 ms while a strategy searches, unless the
  // machine is overloaded or a million records are being sorted. Returns false
  // to end the search.
  virtual bool KeepGoing();
};

// Stands for no time limit.
constexpr int64_t kNoTimeLimit = std::numeric_limits<int64_t>::max();

// Says how long a search may take and which resources it may use. The options
// are the same for the whole library; strategies that do not search ignore
// them. There is one exception: the observer can end the choice of pools by
// "skyline".
struct SolveOptions {
  // The maximum time that the strategy itself may take, in nanoseconds. The
  // call may take up to 50 ms longer. kNoTimeLimit means no limit, and 0 or
  // less means no time.
  int64_t time_limit_ns = 100'000'000;
  // The number of nodes to search. A node budget replaces the time limit,
  // except that both limits hold if the planner chooses groups or pairs. With a
  // node budget, the plan is the same on every machine and for any number of
  // threads. If the planner chooses groups or pairs, this is true only if the
  // time limit is kNoTimeLimit.
  optional<uint64_t> node_budget;
  uint64_t seed = 1;
  size_t threads = 1;  // 0 stands for one thread on each core
  // If true, the first plan within the problem's capacity ends the search.
  // Otherwise the search goes on until it finds the optimum or reaches its
  // limits.
  bool decide = false;
  // If true, a strategy that does not support groups or a partial order is
  // given a relaxation of the problem. The relaxation replaces each group by
  // one record that is as large as the group, and the partial order by one
  // sequence of tasks. The plan is safe, but may be larger than necessary, and
  // is never kOptimal.
  bool relax_to_boxes = false;
  Observer* observer = nullptr;  // is not owned, and may be null
  // A solution with a plan that is known before the search. If the planner
  // chose the order of the tasks or the places of the records for that plan,
  // the solution must have them (Solution::order, places). Solve verifies the
  // plan, and returns it unless it finds a plan of less cost, or of the same
  // cost and fewer bytes. Strategies are called without the incumbent. The
  // pointer is not owned, and may be null.
  const Solution* incumbent = nullptr;
};

// Records with sizes of several components, and shared objects for such
// records. All sizes of one list are of the same type. Only
// AssignObjectsToTensors (planner.h) uses these two types; a Problem has sizes
// in bytes.
using ExtentRecords = std::variant<Span<const TensorUsageRecord<uint2>>,
                                   Span<const TensorUsageRecord<uint3>>,
                                   Span<const TensorUsageRecord<BHWC>>>;
using ExtentObjects =
    std::variant<ObjectsAssignment<uint2>, ObjectsAssignment<uint3>,
                 ObjectsAssignment<BHWC>>;

// An algorithm that solves problems. Implementations hold no state, since calls
// may run at the same time.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual const StrategyInfo& info() const = 0;

  // Solves one problem. The planner calls this function only with problems that
  // require no features beyond `info().features`, that have no free order, and
  // that have no optional groups.
  //
  // Returns a plan of problem.kind(). The plan lists the records in the order
  // of the problem, which may be any order. A search may instead return
  // kInfeasible or kTimeLimit without a plan. The solution states what the
  // search has proved (Solution::lower_bound, nodes, conflict) and, if the
  // strategy has several parts, which part found the plan (found_by). The
  // planner verifies the plan and fills in total, status, proof and time.
  //
  // Error: ResourceExhausted if there are too many records for the strategy.
  virtual StatusOr<Solution> Solve(const Problem& problem,
                                   const SolveOptions& options) const = 0;

  // Assigns shared objects to records that pass CheckUsageRecords. Returns
  // objects with sizes of the same type, which AssignObjectsToTensors verifies.
  // Error: Unimplemented if the strategy does not support the type (the message
  // names the strategy). The default implementation returns this error.
  virtual StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const;

  // Repeats the search of `proof`, which this strategy has made for this
  // problem, and passes the log of the search (docs/certificates.md) to
  // `write`, one piece every few milliseconds. Takes as long as the original
  // search. A strategy that returns solutions with a SearchProof must override
  // this function. Errors: Unimplemented if the strategy does not override this
  // function; the first error of `write`, which ends the log.
  virtual Status WriteSearchLog(const Problem& problem,
                                const SearchProof& proof,
                                const WriteText& write) const;
};

}  // namespace stowage

#endif  // STOWAGE_STRATEGY_H_
