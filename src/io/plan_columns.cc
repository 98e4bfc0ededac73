// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/error_payload.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// Checks that the plan has the column. If the problem has no records, the plan
// always has the column, because it is empty.
Status CheckColumn(Span<const size_t> numbers, const ProblemSpec& problem,
                   string_view name) {
  if (numbers.size() == problem.records.size()) return OkStatus();
  return FailedPreconditionError(
      StrCat("no column \"", name, "\"; expected a plan"));
}

// Returns the id of a record in quotes, or its number if it has no id.
std::string NameOf(const ProblemSpec& problem, size_t record) {
  return record < problem.names.size() ? Quoted(problem.names[record])
                                       : StrCat(record);
}

}  // namespace

StatusOr<ProblemFile> InChosenOrder(ProblemFile file) {
  ProblemSpec& problem = file.problem;
  if (!problem.free_order) return file;
  const std::vector<TaskId> order = std::move(file.plan.execution_order);
  file.plan.execution_order.clear();
  if (order.empty() && problem.free_order->tasks > 0) {
    return UnimplementedError(
        R"(order: is "free", and only planning chooses one; expected )"
        R"("partial", lower and upper in every record, or the )"
        "execution_order of a plan");
  }
  if (Status s = CheckFreeOrder(*problem.free_order, problem.records.size());
      !s.ok()) {
    return s;
  }
  if (const auto found = FindOrderViolation(*problem.free_order, order)) {
    return InvalidArgumentError(StrCat("execution_order: ", Describe(*found)));
  }
  problem.records = RecordsInOrder(problem.records, *problem.free_order, order);
  problem.labels = LabelsInOrder(std::move(problem.labels), order);
  problem.free_order.reset();
  return file;
}

FilePlan FilePlanOf(const Solution& solution) {
  FilePlan plan;
  if (const OffsetsAssignment* const offsets = solution.offsets()) {
    plan.offsets = offsets->offsets;
    plan.chosen_pools = offsets->pools;
  } else {
    plan.objects = solution.objects()->object_ids;
  }
  plan.execution_order = solution.order;
  return plan;
}

StatusOr<OffsetsAssignment> OffsetsOf(const ProblemSpec& problem,
                                      const FilePlan& plan) {
  if (Status status = CheckColumn(plan.offsets, problem, "offset");
      !status.ok()) {
    return status;
  }
  if (!plan.chosen_pools.empty() &&
      plan.chosen_pools.size() != problem.records.size()) {
    return FailedPreconditionError(
        StrCat(plan.chosen_pools.size(), " chosen pools; expected ",
               problem.records.size(), ", one for each record, or none"));
  }
  OffsetsAssignment result;
  result.offsets = plan.offsets;
  result.pools = plan.chosen_pools;
  // The ends of pools.
  std::vector<size_t> ends(problem.constraints.pools.size() + 1);
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const optional<size_t> end =
        CheckedAdd(plan.offsets[i], problem.records[i].tensor_size);
    if (!end) {
      return WithRecords(
          OutOfRangeError(StrCat(
              "tensor ", NameOf(problem, i), ": offset ", plan.offsets[i],
              " and size ", problem.records[i].tensor_size,
              " exceed 2^64 - 1; expected an end below 2^64")),
          {i});
    }
    const size_t pool = result.pools.empty() ? 0 : result.pools[i];
    if (pool >= ends.size()) {
      return WithRecords(
          FailedPreconditionError(
              StrCat("tensor ", NameOf(problem, i), ": no pool ", pool,
                     "; expected one of ", problem.constraints.pools.size())),
          {i});
    }
    size_t& highest = ends[pool];
    highest = std::max(highest, *end);
  }
  for (const size_t end : ends) {
    const optional<size_t> total = CheckedAdd(result.total_size, end);
    if (!total) {
      return OutOfRangeError(
          "the highest ends of all pools sum to more than 2^64 - 1; expected a "
          "total below 2^64");
    }
    result.total_size = *total;
  }
  return result;
}

StatusOr<ObjectsAssignment<size_t>> ObjectsOf(const ProblemSpec& problem,
                                              const FilePlan& plan) {
  if (Status status = CheckColumn(plan.objects, problem, "object");
      !status.ok()) {
    return status;
  }
  ObjectsAssignment<size_t> result;
  flat_hash_map<size_t, size_t> dense_ids;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const auto [found, is_new] =
        dense_ids.try_emplace(plan.objects[i], dense_ids.size());
    if (is_new) result.object_sizes.push_back(0);
    size_t& object_size = result.object_sizes[found->second];
    object_size = std::max(object_size, problem.records[i].tensor_size);
    result.object_ids.push_back(found->second);
  }
  return result;
}

}  // namespace stowage
