// Any records under any strategy: refused for a reason, or a safe plan that is
// no smaller than the bound.

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "stowage/planner.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using Records = std::vector<TensorUsageRecord<size_t>>;

constexpr int kMaxRecords = 32;

// Small numbers, where ties and touching intervals are, more often than large
// ones, where sums overflow.
size_t TakeNumber(FuzzedDataProvider* bytes) {
  return bytes->ConsumeIntegralInRange<int>(0, 31) == 0
             ? bytes->ConsumeIntegral<size_t>()
             : bytes->ConsumeIntegralInRange<size_t>(0, 40);
}

Records TakeRecords(FuzzedDataProvider* bytes) {
  Records records;
  const int count = bytes->ConsumeIntegralInRange(0, kMaxRecords);
  for (int i = 0; i < count; ++i) {
    const size_t size = TakeNumber(bytes);
    const size_t first = TakeNumber(bytes);
    // Now and then it wraps, and the record is invalid.
    records.emplace_back(size, first, first + TakeNumber(bytes));
  }
  return records;
}

std::vector<size_t> TakeAlignments(FuzzedDataProvider* bytes, size_t count) {
  std::vector<size_t> alignments;
  for (size_t i = 0; i < count; ++i) {
    alignments.push_back(size_t{1} << bytes->ConsumeIntegralInRange(0, 7));
  }
  return alignments;
}

bool Has(const Strategy& strategy, PlanKind kind) {
  const StrategyFeatures& can = strategy.info().features;
  return kind == PlanKind::kOffsets ? can.offsets : can.objects;
}

void CheckPlan(const Records& records, const PlanOptions& options,
               const PlanResult& plan) {
  const std::string place =
      absl::StrCat(options.strategy, ", ", PlanKindName(options.kind));
  const auto violation =
      options.kind == PlanKind::kOffsets
          ? FindViolation(records, plan.offsets, options.alignments)
          : FindViolation(records, plan.objects);
  Check(!violation, absl::StrCat(place, ": unsafe"));
  Check(plan.total_size >= plan.lower_bound,
        absl::StrCat(place, ": below the bound"));
  Check(plan.status != PlanStatus::kInfeasible,
        absl::StrCat(place, ": infeasible without a capacity"));
}

void Fuzz(FuzzedDataProvider* bytes) {
  const Records records = TakeRecords(bytes);
  const bool is_aligned = bytes->ConsumeBool();
  const std::vector<size_t> alignments =
      TakeAlignments(bytes, is_aligned ? records.size() : 0);
  for (const Strategy* strategy : AllStrategies()) {
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      if (!Has(*strategy, kind)) continue;
      PlanOptions options;
      options.strategy = strategy->info().name;
      options.kind = kind;
      options.search.node_budget = 500;  // no clock decides what is found
      if (is_aligned) options.alignments = absl::MakeConstSpan(alignments);
      const absl::StatusOr<PlanResult> plan = Plan(records, options);
      if (plan.ok()) {
        CheckPlan(records, options, *plan);
        continue;
      }
      // All that can be wrong is in the records and their sum.
      Check(absl::IsInvalidArgument(plan.status()) ||
                absl::IsOutOfRange(plan.status()),
            absl::StrCat(options.strategy, ": ", plan.status().ToString()));
    }
  }
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider bytes(data, size);
  stowage::Fuzz(&bytes);
  return 0;
}
