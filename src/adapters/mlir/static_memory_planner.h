// SPDX-License-Identifier: Apache-2.0
// Plans the arena of MLIR's pass `static-memory-planner`. The planners of this
// pass are functions that receive an alignment and allocations, and return
// offsets. The function in this header also calls a planner of the pass, and
// returns the smaller of the two plans.
//
// Call PlanMlirArena in a function with the signature of
// mlir::bufferization::bestFitMemoryPlanner, and choose it in the pass
// (README.md). For a runtime with usage records, use beside_host.h.
//
//   auto plan = PlanMlirArena(arenaAlignment, allocs, bestFitMemoryPlanner);
//   if (!plan.ok()) return trivialMemoryPlanner(arenaAlignment, allocs);
//   return {plan->offsets.begin(), plan->offsets.end()};
//
// Lifetimes in MLIR are half-open: an allocation is live from its start
// (inclusive) to its end (exclusive). If the start and the end are equal, the
// allocation is never live and conflicts with no other allocation, but it must
// still be within the arena. The pass makes the arena as large as the highest
// end of any allocation.
#ifndef STOWAGE_ADAPTERS_MLIR_STATIC_MEMORY_PLANNER_H_
#define STOWAGE_ADAPTERS_MLIR_STATIC_MEMORY_PLANNER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

// A plan for the arena. Fields that are also in BesideHost have the same
// meaning.
struct MlirPlan {
  // The offsets in bytes, in the order of the allocations.
  std::vector<int64_t> offsets;
  size_t total = 0;  // the largest end, in bytes
  bool is_hosts_plan = false;
  size_t lower_bound = 0;
  optional<Violation> host_violation;
  Status refusal;
};

// Converts lifetimes to those of Stowage, which are inclusive and begin at 0.
// An allocation with equal start and end gets a task of its own. Requires that
// no allocation ends before it starts and that no size is negative. O(n).
template <typename Allocs>
std::vector<ByteRecord> MlirRecords(const Allocs& allocs) {
  int64_t first = std::numeric_limits<int64_t>::max();
  int64_t last = std::numeric_limits<int64_t>::min();
  for (const auto& alloc : allocs) {
    first = std::min<int64_t>(first, alloc.timeStart);
    last = std::max<int64_t>(last, alloc.timeEnd);
  }
  // Unsigned arithmetic, so that no difference overflows.
  const auto task_of = [first](int64_t time) {
    return static_cast<size_t>(time) - static_cast<size_t>(first);
  };
  std::vector<ByteRecord> records;
  size_t own_tasks = 0;
  for (const auto& alloc : allocs) {
    const auto size = static_cast<size_t>(alloc.sizeInBytes);
    if (alloc.timeStart == alloc.timeEnd) {
      const size_t task = task_of(last) + own_tasks++;
      records.push_back({size, task, task});
    } else {
      records.push_back(
          {size, task_of(alloc.timeStart), task_of(alloc.timeEnd) - 1});
    }
  }
  return records;
}

namespace internal {

// Returns OK if Stowage can express the allocations; otherwise an error with
// the reason.
template <typename Allocs>
Status CheckMlirAllocs(int64_t arena_alignment, const Allocs& allocs) {
  for (const auto& alloc : allocs) {
    if (alloc.timeEnd < alloc.timeStart || alloc.sizeInBytes < 0) {
      return UnimplementedError(
          "an allocation ends before it starts or has a negative size");
    }
  }
  for (const auto& alloc : allocs) {
    const int64_t alignment = alloc.alignment;
    if (alignment <= 0 || !IsValidAlignment(static_cast<size_t>(alignment)) ||
        arena_alignment % alignment != 0) {
      return UnimplementedError(
          "an alignment is not a power of two that divides the alignment of "
          "the arena");
    }
  }
  return OkStatus();
}

// Returns the violation in the host's plan, if any. Used if Stowage cannot
// express the alignment of an allocation.
template <typename Allocs>
optional<Violation> FindMlirViolation(const Allocs& allocs,
                                      const std::vector<ByteRecord>& records,
                                      const OffsetsAssignment& host) {
  if (auto violation = FindViolation(records, host)) return violation;
  size_t i = 0;
  for (const auto& alloc : allocs) {
    const auto alignment = static_cast<size_t>(alloc.alignment);
    if (alloc.alignment > 0 && host.offsets[i] % alignment != 0) {
      Violation violation;
      violation.kind = Violation::Kind::kMisaligned;
      violation.first_tensor = i;
      violation.begin = host.offsets[i];
      violation.expected = alignment;
      return violation;
    }
    ++i;
  }
  return nullopt;
}

// Returns a plan with the host's offsets and the total that the pass computes.
// If an offset is negative, the plan has 0 bytes, so the verifier refuses it.
template <typename Offsets>
OffsetsAssignment MlirHostPlan(const std::vector<ByteRecord>& records,
                               const Offsets& offsets) {
  OffsetsAssignment plan;
  bool is_negative = false;
  for (const int64_t offset : offsets) {
    is_negative = is_negative || offset < 0;
    plan.offsets.push_back(static_cast<size_t>(offset));
  }
  if (!is_negative) {
    plan.total_size = HighestEnd(records, plan.offsets).value_or(0);
  }
  return plan;
}

}  // namespace internal

// Plans `allocs` with Stowage and with `host`, and returns the smaller plan.
// `allocs` is a range of mlir::bufferization::MemoryPlannerAlloc, or of any
// type with the same fields; `host` is a function with the signature of the
// planners of the pass. If an alignment is not a power of two, only the host
// makes a plan, which is then verified. Errors:
//   FailedPrecondition  the host's plan is unsafe (ViolationOf), and there is
//                       no other plan
//   Unimplemented       an allocation ends before it starts, has a negative
//                       size, or would end beyond 2^63 - 1
// Takes as long as the host and Solve together.
template <typename Allocs, typename HostPlanner>
StatusOr<MlirPlan> PlanMlirArena(int64_t arena_alignment, const Allocs& allocs,
                                 HostPlanner host,
                                 const BesideHostOptions& options = {}) {
  Status expressible = internal::CheckMlirAllocs(arena_alignment, allocs);
  for (const auto& alloc : allocs) {
    if (alloc.timeEnd < alloc.timeStart || alloc.sizeInBytes < 0) {
      return expressible;
    }
  }
  ProblemSpec spec;
  spec.records = MlirRecords(allocs);
  for (const auto& alloc : allocs) {
    spec.alignments.push_back(static_cast<size_t>(alloc.alignment));
  }
  const OffsetsAssignment host_plan =
      internal::MlirHostPlan(spec.records, host(arena_alignment, allocs));
  const std::vector<ByteRecord> records = spec.records;
  StatusOr<BesideHost> best =
      expressible.ok() ? PlanBesideHost(std::move(spec), &host_plan, options)
                       : internal::KeepHostPlan(&host_plan,
                                                internal::FindMlirViolation(
                                                    allocs, records, host_plan),
                                                expressible);
  if (!best.ok()) return best.status();
  MlirPlan plan;
  plan.total = HighestEnd(records, best->plan.offsets).value_or(0);
  if (plan.total > static_cast<size_t>(std::numeric_limits<int64_t>::max())) {
    return UnimplementedError("the arena ends beyond 2^63 - 1");
  }
  for (const size_t offset : best->plan.offsets) {
    plan.offsets.push_back(static_cast<int64_t>(offset));
  }
  plan.is_hosts_plan = best->is_hosts_plan;
  plan.lower_bound = best->lower_bound;
  plan.host_violation = std::move(best->host_violation);
  plan.refusal = std::move(best->refusal);
  return plan;
}

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_MLIR_STATIC_MEMORY_PLANNER_H_
