// What a strategy is, and the registry that finds one by name.
//
// To get a plan, use planner.h: it checks the input, refuses what a strategy
// cannot do and verifies the result. Include this header to write a strategy
// of your own:
//
//   class Mine : public Strategy {
//    public:
//     const StrategyInfo& info() const override;
//     absl::StatusOr<OffsetsAssignment> PlanOffsets(
//         absl::Span<const TensorUsageRecord<size_t>> records,
//         const StrategyOptions& options) const override;
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
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/usage_record.h"

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

// What a strategy can do. The planner refuses a request for anything else.
struct StrategyFeatures {
  bool objects = false;             // plans shared objects of byte sizes
  bool offsets = false;             // plans offsets, with any alignment
  bool extents = false;             // plans objects of uint2 and uint3
  bool bhwc = false;                // plans objects of BHWC
  bool reallocation_graph = false;  // honours StrategyOptions' graph
  bool fixed_offsets = false;       // honours StrategyOptions' fixed offsets
  // The plan does not depend on the order of the records, as long as no two
  // have the same first task or the same size.
  bool order_independent = false;
  bool search = false;  // honours StrategyOptions' search and capacity
};

struct StrategyInfo {
  std::string name;        // lower case, digits and '_': the name users type
  std::string summary;     // one line
  std::string complexity;  // time, for n records
  std::string source;      // paper and section, or "own"
  StrategyFeatures features;
};

// What a search has reached: its best plan, and the bound it has proved.
struct SearchProgress {
  size_t total_size = 0;   // bytes
  size_t lower_bound = 0;  // bytes
};

// How long a strategy that searches may go on, and what it may use. Those that
// do not search end by themselves and ignore it.
struct SearchOptions {
  // Of the strategy's own call; overrun by less than 50 ms.
  absl::Duration deadline = absl::Milliseconds(100);
  // Nodes to search, in place of the deadline: the plan is then the same on
  // every machine and for any number of threads.
  absl::optional<uint64_t> node_budget;
  uint64_t seed = 1;
  size_t threads = 0;  // 0 for one on each core
  // Called with every better plan or bound, by the thread that plans.
  std::function<void(const SearchProgress&)> progress;
  // Not owned; null for none. Once true, the search ends with what it has.
  const std::atomic<bool>* cancelled = nullptr;
};

// What a search has proved besides the plan that it returns.
struct SearchReport {
  size_t lower_bound = 0;  // bytes: no plan is smaller
  // Whether the bound was proved by a complete search below it, not only by
  // what is alive at one task.
  bool searched = false;
  uint64_t nodes = 0;
  // If no plan fits the capacity: records that do not fit it even without the
  // others, by index. Empty where it is not known.
  std::vector<size_t> conflict;
  // Whether without any one of them the rest would fit.
  bool irreducible = false;
};

struct StrategyOptions {
  Alignments alignments;  // for offsets; shared objects are allocated apart
  // Not owned; null for none. See BuildReallocationGraph.
  const UsageGraph* reallocation_graph = nullptr;
  // Where records must lie that the caller has placed already, in bytes; one
  // entry for every record, or none at all.
  absl::Span<const absl::optional<size_t>> fixed_offsets;
  SearchOptions search;
  // Bytes that are enough: a search ends as soon as it knows whether a plan
  // within them exists.
  absl::optional<size_t> capacity;
  // Filled in by strategies with the feature `search`. Not owned; may be null.
  SearchReport* report = nullptr;
};

// An algorithm that turns usage records into an assignment. Implementations
// hold no state: calls may run at the same time.
//
// The caller has made sure that the records satisfy CheckUsageRecords, that the
// sum of sizes and paddings fits 64 bits, that alignments are valid, and that
// nothing outside `info().features` is asked for. Records may come in any
// order; answers are in the order of the records.
class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual const StrategyInfo& info() const = 0;

  // Each defaults to an Unimplemented error.
  virtual absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const;
  virtual absl::StatusOr<ObjectsAssignment<uint2>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint2>> records,
      const StrategyOptions& options) const;
  virtual absl::StatusOr<ObjectsAssignment<uint3>> PlanObjects(
      absl::Span<const TensorUsageRecord<uint3>> records,
      const StrategyOptions& options) const;
  virtual absl::StatusOr<ObjectsAssignment<BHWC>> PlanObjects(
      absl::Span<const TensorUsageRecord<BHWC>> records,
      const StrategyOptions& options) const;

  // Defaults to the layout of PlanObjects by ObjectsToOffsets.
  virtual absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const;
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
