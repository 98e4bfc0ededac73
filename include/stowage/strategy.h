// SPDX-License-Identifier: Apache-2.0
// The interface of a strategy. The registry (registry.h) finds one by name.
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
// and either make it a folder under strategies/ (docs/adding-a-strategy.md) or
// hand it to RegisterStrategy (registry.h) at the start of your program.
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
  GREEDY_BEST,        // takes the best plan of the greedy strategies
  MINCOSTFLOW,        // chooses reuse by a minimum-cost flow
};

// Returns the name in the registry: "naive", "equality", "greedy_in_order" and
// so on.
string_view StrategyName(MemoryStrategy strategy);

// Describes a strategy. The fields are set one by one.
struct StrategyInfo {
  std::string name;     // the name that users write: lower case, digits and '_'
  std::string summary;  // has one line
  std::string complexity;  // the time for n records
  std::string source;      // the paper and section, or "own"
  // The features that it supports. The planner refuses a problem that requires
  // any other feature, and lists all that are missing.
  FeatureSet features;
  // True if the plan does not depend on the order of the records, as long as no
  // two have the same first task or the same size.
  bool is_order_independent = false;
  // True if it honours the limits of SolveOptions and returns no plan above the
  // problem's capacity. Other strategies end by themselves and may ignore both.
  bool is_search = false;
};

// The incumbent of a search and the bound that it has proved.
struct SearchProgress {
  // It is in bytes and may exceed the capacity of the problem.
  size_t total_size = 0;
  size_t lower_bound = 0;  // is in bytes
  uint64_t nodes = 0;      // the nodes that have been searched so far
  std::string found_by;    // is like Solution::found_by
  // `cost` and `cost_bound` are set only for problems with preferences
  // (Constraints::prefer_apart).
  optional<uint64_t> cost = nullopt;
  uint64_t cost_bound = 0;
};

// Watches a search and may end it. A search that is ended returns what it has:
// a plan with its bound, or none. Both functions are called only on the thread
// that called Solve, whatever the number of threads, and never after one of
// them has returned false. They may call this library. To end a search from
// another thread, let KeepGoing read an atomic variable that the other thread
// sets.
class Observer {
 public:
  virtual ~Observer() = default;

  // Called with the first plan and with every better plan or bound. Totals
  // never rise, and bounds never fall. If the pools of a problem are planned
  // one after the other, a total and a bound are those of one pool. Returns
  // false to end the search.
  //
  // Under constraints it is called only if plans of one memory have a cost
  // because of preferences. Then costs never rise; a total may rise if the cost
  // falls. Plans that are found by annealing are reported at the end of a
  // round.
  virtual bool OnProgress(const SearchProgress& progress);

  // Called at least every 20 ms while a strategy searches, unless the machine
  // is overloaded or a million records are being sorted. Returns false to end
  // the search.
  virtual bool KeepGoing();
};

// Stands for no time limit.
constexpr int64_t kNoTimeLimit = std::numeric_limits<int64_t>::max();

// Says how long a search may go on and what it may use. The options are the
// same for the whole library; strategies that do not search ignore them.
struct SolveOptions {
  // The maximum duration of the strategy's own call, in nanoseconds. The call
  // may take up to 50 ms longer. kNoTimeLimit means no limit, and 0 or less
  // means no time.
  int64_t time_limit_ns = 100'000'000;
  // The number of nodes to search; replaces the time limit, unless groups or
  // pairs are chosen, where both hold. The plan is then the same on every
  // machine and for any number of threads, if the choice has kNoTimeLimit.
  optional<uint64_t> node_budget;
  uint64_t seed = 1;
  size_t threads = 1;  // 0 stands for one thread on each core
  // If true, the first plan within the problem's capacity ends the search.
  // Otherwise it goes on to the optimum or to its limits.
  bool decide = false;
  // If true, a strategy that does not support groups or a partial order is
  // given a relaxation of the problem. The relaxation replaces each group by
  // one record of the extent of the group, and the partial order by one
  // sequence of tasks. The plan is safe, but may be larger than necessary, and
  // is never kOptimal.
  bool relax_to_boxes = false;
  Observer* observer = nullptr;  // is not owned, and may be null
  // A solution with a plan that is known before the search, and with the order
  // of the tasks and the places of records (Solution::order, places) if the
  // plan has chosen them. Solve verifies this plan. It returns the plan unless
  // it finds one of less cost, or of the same cost and fewer bytes. Strategies
  // are called without it. Not owned; may be null.
  const Solution* incumbent = nullptr;
};

// Records with sizes of several components, of one of the three types, and
// shared objects for them. They occur in AssignObjectsToTensors (planner.h)
// alone; a Problem has sizes in bytes.
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
  // require no other features than `info().features`, that have no free order,
  // and whose groups are not optional.
  //
  // Returns a plan of problem.kind() in the order of the records, which is
  // arbitrary. A search may instead return no plan with kInfeasible or
  // kTimeLimit. It states what it has proved (Solution::lower_bound, nodes,
  // conflict) and, if it has several parts, which one found the plan
  // (found_by). The planner verifies the plan and fills in total, status, proof
  // and time.
  //
  // Error: ResourceExhausted if the records are too many for the strategy.
  virtual StatusOr<Solution> Solve(const Problem& problem,
                                   const SolveOptions& options) const = 0;

  // Assigns shared objects to records that pass CheckUsageRecords. Returns
  // objects of their type, which AssignObjectsToTensors verifies. Error:
  // Unimplemented, naming the strategy, if it does not support the type; this
  // is what strategies return that do not override the function.
  virtual StatusOr<ExtentObjects> AssignExtents(
      const ExtentRecords& records) const;

  // Repeats the search of `proof`, which this strategy has made for this
  // problem, and passes its log (docs/certificates.md) to `write`, a piece
  // every few milliseconds. It takes as long as the search did. A strategy
  // whose solutions have a SearchProof must override it. Errors: Unimplemented
  // if the strategy does not; the first error of `write`, which ends the log.
  virtual Status WriteSearchLog(const Problem& problem,
                                const SearchProof& proof,
                                const WriteText& write) const;
};

}  // namespace stowage

#endif  // STOWAGE_STRATEGY_H_
