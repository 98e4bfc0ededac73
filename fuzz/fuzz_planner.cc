// SPDX-License-Identifier: Apache-2.0
// Plans any records with every strategy. Each strategy must refuse the request
// with a reason, or return a safe plan. No strategy may prove a claim that the
// plan of another strategy refutes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "fuzz/reallocation.h"
#include "fuzz/records.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/support/plan_request.h"

namespace stowage {
namespace {

using support::Plan;
using support::PlanRequest;

constexpr size_t kMaxRecords = 16;

// A request that is passed to every strategy.
struct Request {
  Records records;
  std::vector<size_t> alignments;  // empty for none
  std::vector<absl::optional<size_t>> fixed_offsets;
  UsageGraph reallocation_graph;
  bool has_graph = false;
  absl::optional<size_t> capacity;
  uint64_t seed = 1;
  size_t threads = 1;
};

UsageGraph TakeGraph(Input* input, size_t count) {
  UsageGraph graph(count);
  for (std::vector<size_t>& next : graph) {
    while (next.size() < 4 && input->Flag()) {
      next.push_back(input->UpTo(count));  // the index `count` is invalid
    }
  }
  return graph;
}

Request TakeRequest(Input* input) {
  Request request;
  const uint8_t asks = input->Byte();
  request.seed = input->Byte();
  request.records = TakeRecords(input, kMaxRecords);
  const size_t count = request.records.size();
  if ((asks & 1) != 0) request.alignments = TakeAlignments(input, count);
  if ((asks & 14) == 2) request.fixed_offsets = TakeFixedOffsets(input, count);
  if ((asks & 14) == 4) request.capacity = input->Number();
  if ((asks & 14) == 6) {
    request.has_graph = true;
    request.reallocation_graph = TakeGraph(input, count);
  }
  // Request a second thread only rarely, because threads cost more than
  // everything else.
  if ((asks & 0xF0) == 0xF0) request.threads = 2;
  return request;
}

PlanRequest OptionsOf(const Request& request, const std::string& strategy,
                      PlanKind kind) {
  PlanRequest options;
  options.strategy = strategy;
  options.kind = kind;
  if (!request.alignments.empty()) {
    options.alignments = Alignments(request.alignments);
  }
  options.fixed_offsets = request.fixed_offsets;
  if (request.has_graph) {
    options.reallocation_graph = &request.reallocation_graph;
  }
  options.capacity = request.capacity;
  // A limit on nodes rather than time makes results reproducible.
  options.search.node_budget = 100;
  options.search.seed = request.seed;
  options.search.threads = request.threads;
  return options;
}

// Collects what all strategies claim about one request: the largest lower bound
// and the smallest plan.
class Claims {
 public:
  void Add(const std::string& who, const Solution& plan,
           const absl::optional<size_t>& capacity) {
    Raise(plan.lower_bound, who);
    switch (plan.status) {
      case SolutionStatus::kInfeasible:
        // Without a capacity, a problem can be infeasible only if fixed offsets
        // contradict each other. The solution must then contain a conflict.
        Check(capacity.has_value() || !plan.conflict.empty(),
              who + ": infeasible without a capacity");
        if (capacity && *capacity < std::numeric_limits<size_t>::max()) {
          Raise(*capacity + 1, who);
        }
        return;
      case SolutionStatus::kOverCapacity:
        Check(capacity && plan.total_size > *capacity && !plan.has_plan(),
              who + ": over a capacity that its plan keeps");
        break;
      case SolutionStatus::kTimeLimit:
        Check(capacity.has_value(), who + ": no plan, and no capacity");
        return;
      case SolutionStatus::kOptimal:
        Raise(plan.total_size, who);
        break;
      case SolutionStatus::kFeasible:
        break;
    }
    if (plan.total_size >= smallest_) return;
    smallest_ = plan.total_size;
    smallest_by_ = who;
  }

  void CheckAll() const {
    Check(smallest_ >= bound_,
          absl::StrCat(bound_by_, " proves a bound of ", bound_, " but ",
                       smallest_by_, " has a plan of ", smallest_));
  }

 private:
  void Raise(size_t bound, const std::string& who) {
    if (bound <= bound_) return;
    bound_ = bound;
    bound_by_ = who;
  }

  size_t bound_ = 0;
  size_t smallest_ = std::numeric_limits<size_t>::max();
  std::string bound_by_;
  std::string smallest_by_;
};

void CheckGraph(const Request& request, const std::string& who,
                const Solution& plan) {
  Check(plan.offsets() != nullptr ? Honours(request.reallocation_graph,
                                            request.records, *plan.offsets())
                                  : Honours(request.reallocation_graph,
                                            request.records, *plan.objects()),
        who + ": shares against the graph");
}

void CheckPlan(const Request& request, const PlanRequest& options,
               const std::string& who, const Solution& plan) {
  const bool is_offsets = plan.offsets() != nullptr;
  const auto violation =
      is_offsets
          ? FindViolation(request.records, *plan.offsets(), options.alignments)
          : FindViolation(request.records, *plan.objects());
  Check(!violation, violation ? who + ": " + Describe(*violation) : "");
  Check(plan.total_size == (is_offsets ? plan.offsets()->total_size
                                       : TotalSize(*plan.objects()).value()),
        who + ": another total than that of the plan");
  for (size_t i = 0; i < request.fixed_offsets.size(); ++i) {
    Check(!request.fixed_offsets[i] ||
              plan.offsets()->offsets[i] == *request.fixed_offsets[i],
          who + ": a fixed offset has moved");
  }
  if (request.has_graph) CheckGraph(request, who, plan);
}

bool IsValid(const UsageGraph& graph) {
  return std::all_of(graph.begin(), graph.end(), [&](const auto& list) {
    return std::all_of(list.begin(), list.end(),
                       [&](size_t i) { return i < graph.size(); });
  });
}

// Returns whether every strategy that supports the request must return a plan.
// Returns false for fixed offsets, because only planning shows whether they can
// be kept.
bool IsPlannable(const Request& request) {
  ProblemSpec spec;
  spec.records = request.records;
  spec.alignments = request.alignments;
  return request.fixed_offsets.empty() && IsValid(request.reallocation_graph) &&
         testing::IsPlannable(spec);
}

bool IsSupported(const Request& request, PlanKind kind, const FeatureSet& can) {
  return (kind == PlanKind::kOffsets ? can.Has(Feature::kOffsets)
                                     : can.Has(Feature::kObjects)) &&
         (!request.has_graph || can.Has(Feature::kReallocationGraph));
}

// Returns whether the error is permitted. An error may concern the records,
// their alignments, fixed offsets or reallocation graph, the sum of the sizes,
// or features that the strategy does not support.
bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         absl::IsUnimplemented(status);
}

void FuzzKind(const Request& request, PlanKind kind) {
  Claims claims;
  const bool is_plannable = IsPlannable(request);
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    const std::string who = absl::StrCat(info.name, ", ", PlanKindName(kind));
    const PlanRequest options = OptionsOf(request, info.name, kind);
    const absl::StatusOr<Solution> plan = Plan(request.records, options);
    if (!plan.ok()) {
      const bool is_unable = !IsSupported(request, kind, info.features);
      Check(is_plannable ? is_unable && absl::IsUnimplemented(plan.status())
                         : IsRefusal(plan.status()),
            who + ": " + plan.status().ToString());
      continue;
    }
    if (plan->has_plan()) {
      CheckPlan(request, options, who, *plan);
      Check(!request.capacity || plan->total_size <= *request.capacity,
            who + ": a plan that exceeds the capacity");
    }
    claims.Add(who, *plan, request.capacity);
  }
  // Do not compare claims if there is a reallocation graph, because the graph
  // restricts only the strategies that support it.
  if (!request.has_graph) claims.CheckAll();
}

// Plans the request with sizes of several components. `size_of` makes these
// sizes from the request's sizes in bytes.
template <typename Size>
void FuzzExtents(const Request& request, Size (*size_of)(size_t)) {
  std::vector<TensorUsageRecord<Size>> records;
  for (const TensorUsageRecord<size_t>& record : request.records) {
    records.push_back(
        {size_of(record.tensor_size), record.first_task, record.last_task});
  }
  const bool is_plannable =
      !request.has_graph && CheckUsageRecords(records).ok();
  for (const MemoryStrategy strategy :
       {MemoryStrategy::NAIVE, MemoryStrategy::EQUALITY,
        MemoryStrategy::GREEDY_IN_ORDER, MemoryStrategy::GREEDY_BY_SIZE}) {
    const std::string who(StrategyName(strategy));
    const bool is_unable = strategy == MemoryStrategy::GREEDY_BY_SIZE ||
                           (strategy == MemoryStrategy::GREEDY_IN_ORDER &&
                            std::is_same_v<Size, BHWC>);
    ObjectsAssignment<Size> plan;
    const absl::Status status = AssignObjectsToTensors(
        records, strategy, &plan,
        request.has_graph ? &request.reallocation_graph : nullptr);
    if (!status.ok()) {
      Check(is_plannable ? is_unable && absl::IsUnimplemented(status)
                         : IsRefusal(status),
            who + ", extents: " + status.ToString());
      continue;
    }
    Check(!request.has_graph, who + ", extents: the graph is dropped");
    const auto violation =
        FindViolation(absl::Span<const TensorUsageRecord<Size>>(records), plan);
    Check(!violation, violation ? Describe(*violation) : "");
  }
}

uint32_t Part(size_t number, int part) {
  return static_cast<uint32_t>(number >> (16 * part)) & 0xFFFFFFU;
}

void Fuzz(Input* input) {
  const Request request = TakeRequest(input);
  FuzzKind(request, PlanKind::kOffsets);
  FuzzKind(request, PlanKind::kObjects);
  FuzzExtents<uint2>(
      request, [](size_t n) { return uint2(Part(n, 0) % 7, Part(n, 1)); });
  FuzzExtents<uint3>(request, [](size_t n) {
    return uint3(Part(n, 0) % 7, Part(n, 1), Part(n, 2));
  });
  FuzzExtents<BHWC>(request, [](size_t n) {
    return BHWC(1, static_cast<int32_t>(Part(n, 0) % 7),
                static_cast<int32_t>(Part(n, 1)),
                static_cast<int32_t>(static_cast<uint32_t>(n >> 32)));
  });
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::Fuzz(&input);
  return 0;
}
