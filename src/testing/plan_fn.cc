#include "stowage/testing/plan_fn.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_c.h"

namespace stowage::testing {
namespace {

std::vector<stowage_test_record> ToC(absl::Span<const ByteRecord> records,
                                     const Alignments& alignments) {
  std::vector<stowage_test_record> result;
  result.reserve(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    result.push_back({records[i].tensor_size, records[i].first_task,
                      records[i].last_task, alignments.Of(i)});
  }
  return result;
}

absl::Status StatusOfAnswer(int answer) {
  switch (answer) {
    case STOWAGE_TEST_PLANNED:
      return absl::OkStatus();
    case STOWAGE_TEST_REFUSED:
      return absl::OutOfRangeError("the planner refused the records");
    case STOWAGE_TEST_UNSUPPORTED:
      return absl::UnimplementedError("the planner does not support this");
    default:
      return absl::InternalError(absl::StrCat("the planner returned ", answer,
                                              ": expected 0, 1 or 2"));
  }
}

absl::StatusOr<OffsetsAssignment> CallC(stowage_test_plan_fn plan,
                                        void* context,
                                        absl::Span<const ByteRecord> records,
                                        const Alignments& alignments) {
  constexpr uint64_t kUntouched = std::numeric_limits<uint64_t>::max();
  const std::vector<stowage_test_record> input = ToC(records, alignments);
  // One more, to see whether the function writes past the end.
  std::vector<uint64_t> offsets(records.size() + 1, kUntouched);
  uint64_t total_size = 0;
  const int answer =
      plan(context, input.data(), input.size(), offsets.data(), &total_size);
  if (offsets.back() != kUntouched) {
    return absl::InternalError(absl::StrCat("the planner wrote more than ",
                                            records.size(),
                                            " offsets for as many records"));
  }
  if (absl::Status status = StatusOfAnswer(answer); !status.ok()) return status;
  OffsetsAssignment assignment;
  assignment.offsets.assign(offsets.begin(), offsets.end() - 1);
  assignment.total_size = total_size;
  return assignment;
}

}  // namespace

PlanFn PlanFnOf(stowage_test_plan_fn plan, void* context) {
  if (plan == nullptr) return nullptr;
  return [plan, context](absl::Span<const ByteRecord> records,
                         const Alignments& alignments) {
    return CallC(plan, context, records, alignments);
  };
}

PlanFn StrategyPlanFn(PlanOptions options) {
  options.kind = PlanKind::kOffsets;
  return
      [options = std::move(options)](
          absl::Span<const ByteRecord> records,
          const Alignments& alignments) -> absl::StatusOr<OffsetsAssignment> {
        PlanOptions with_alignments = options;
        with_alignments.alignments = alignments;
        absl::StatusOr<PlanResult> plan = Plan(records, with_alignments);
        if (!plan.ok()) return plan.status();
        return std::move(plan->offsets);
      };
}

ObjectsPlanFn StrategyObjectsPlanFn(PlanOptions options) {
  options.kind = PlanKind::kObjects;
  return [options = std::move(options)](absl::Span<const ByteRecord> records)
             -> absl::StatusOr<ObjectsAssignment<size_t>> {
    absl::StatusOr<PlanResult> plan = Plan(records, options);
    if (!plan.ok()) return plan.status();
    return std::move(plan->objects);
  };
}

}  // namespace stowage::testing
