// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of plans without their problems, for a PlanCache
// (plan_cache.h). With such a file, a program that is restarted need not repeat
// its searches. For one plan with its problem, use problem_file.h; all
// `stowage` commands read the files of that header.
//
//   StatusOr<PlanList> list = LoadPlans("plans.txt");
//   if (list.ok()) {                        // NotFound the first time
//     for (IdentifiedPlan& plan : list->plans) cache.Add(std::move(plan));
//   }
//   ...
//   const Status saved = SavePlans(cache.Plans(), "plans.txt");
//
// The file is text. The first line has the versions of the format and of
// fingerprints. Each other line is a plan: the fingerprint of its problem, the
// strategy, and lists of numbers.
//
//   stowage plans 1 fingerprints 1
//   207857edafaaae4e5915f279184e1d21 skyline offsets 0,4096,0
//   5d0a8a3a0e7a1b6477fe0a5d9a1c7f20 optimal objects 0,1,0 sizes 4096,1024
//
// If the problem has pools, `pools` follows the offsets. If the order of the
// tasks is free, `order` follows the offsets. The content of a file is not
// trusted. PlanCache::Get verifies a plan before it returns the plan for a
// problem, and computes the total and the bound itself.
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

// The size of the largest file of plans that is read.
constexpr size_t kMaxPlansBytes = size_t{1} << 30;

// The plans of a file, in its order.
struct PlanList {
  std::vector<IdentifiedPlan> plans;
  // The number of damaged lines: lines that are not plans, and a last line
  // without a line end.
  size_t damaged_lines = 0;
};

// Parses a text. `name` stands for the file in messages. The plans are returned
// as the text states them, without verification. Error: InvalidArgument if the
// first line does not have the versions of this library. O(bytes).
StatusOr<PlanList> ParsePlans(string_view text, string_view name);

// Returns plans as a text. Leaves out solutions without a plan. Also leaves out
// plans that keep optional groups, since the text cannot express the places of
// their records. O(plans).
std::string FormatPlans(Span<const IdentifiedPlan> plans);

// Reads a file. Errors: those of ParsePlans; OutOfRange for more than
// kMaxPlansBytes; NotFound and other errors that the system reports.
StatusOr<PlanList> LoadPlans(const std::string& path);

// Writes a file, completely or not at all (WriteFile of write_file.h). Errors:
// those that the system reports.
Status SavePlans(Span<const IdentifiedPlan> plans, const std::string& path);

}  // namespace stowage

#endif  // STOWAGE_IO_PLANS_FILE_H_
