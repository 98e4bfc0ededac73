// SPDX-License-Identifier: Apache-2.0
// Saves the plans of a PlanCache (plan_cache.h) in a file and loads them again,
// so that a restarted program need not repeat its searches. The file has no
// problems, only their fingerprints. For one plan with its problem, use
// problem_file.h, which writes files that all `stowage` commands can read.
//
//   StatusOr<PlanList> list = LoadPlans("plans.txt");
//   if (!list.ok() && !IsNotFound(list.status())) return list.status();
//   if (list.ok()) {                        // NotFound the first time
//     for (IdentifiedPlan& plan : list->plans) cache.Add(std::move(plan));
//   }
//   ...
//   const Status saved = SavePlans(cache.Plans(), "plans.txt");
//
// SavePlans replaces the file. If several processes save to one file, the plans
// of the last one remain.
//
// The file is text. The first line has the version of the format and the
// version of the fingerprints. Each other line is a plan: the fingerprint of
// its problem, the strategy, and lists of numbers.
//
//   stowage plans 1 fingerprints 1
//   207857edafaaae4e5915f279184e1d21 skyline offsets 0,4096,0
//   5d0a8a3a0e7a1b6477fe0a5d9a1c7f20 optimal objects 0,1,0 sizes 4096,1024
//
// If the problem has pools, `pools` follows the offsets. If the order of the
// tasks is free, `order` follows the offsets. The content of a file is not
// trusted: before PlanCache::Get returns a plan, it verifies the plan against
// the problem, and it computes the total and the bound itself.
#ifndef STOWAGE_IO_PLANS_FILE_H_
#define STOWAGE_IO_PLANS_FILE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/identified_plan.h"

namespace stowage {

// The maximum size, in bytes, of a file of plans that LoadPlans accepts.
constexpr size_t kMaxPlansBytes = size_t{1} << 30;

// The plans of a file, in the order of the file.
struct PlanList {
  std::vector<IdentifiedPlan> plans;
  // The number of damaged lines, which are skipped: lines that are not plans,
  // and a last line without a line end.
  size_t damaged_lines = 0;
};

// Parses the text of a file of plans. Error messages refer to the file as
// `name`. Returns the plans as they are in the text; they are not verified.
// Error: InvalidArgument if the first line does not have the versions that this
// library supports. O(bytes).
StatusOr<PlanList> ParsePlans(string_view text, string_view name);

// Returns the text of a file with these plans. Skips solutions without a plan,
// and plans that unite pairs of same_or_apart or keep optional groups, because
// the format cannot express which records share a place. O(plans).
std::string FormatPlans(Span<const IdentifiedPlan> plans);

// Reads a file of plans. Errors: those of ParsePlans; OutOfRange if the file
// has more than kMaxPlansBytes; NotFound and other errors that the system
// reports.
StatusOr<PlanList> LoadPlans(const std::string& path);

// Writes a file of plans, completely or not at all (see WriteFile in
// write_file.h). Errors: those that the system reports.
Status SavePlans(Span<const IdentifiedPlan> plans, const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_IO_PLANS_FILE_H_
