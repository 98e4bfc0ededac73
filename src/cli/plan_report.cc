#include "src/cli/plan_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/text.h"
#include "stowage/planner.h"

namespace stowage::cli {
namespace {

// The records that cannot fit together, as far as a line holds them.
std::string ConflictOf(const std::vector<std::string>& ids,
                       const Solution& plan) {
  constexpr size_t kMost = 20;
  const std::vector<size_t>& conflict = plan.conflict;
  std::string text = absl::StrCat(Count(conflict.size(), "tensor"), ":");
  for (size_t k = 0; k < std::min(conflict.size(), kMost); ++k) {
    absl::StrAppend(&text, " ", OneLine(ids[conflict[k]]));
  }
  if (conflict.size() > kMost) absl::StrAppend(&text, " ...");
  if (plan.conflict_is_irreducible) {
    absl::StrAppend(&text, "; without any one the rest fit");
  }
  return text;
}

std::string TextOf(const PlanStory& story) {
  const Solution& plan = *story.plan;
  std::string status(SolutionStatusName(plan.status));
  if (!plan.reason.empty()) absl::StrAppend(&status, ": ", plan.reason);
  const bool assigned = plan.has_plan();
  const auto ratio = Ratio(plan.total_size, plan.lower_bound);
  return absl::StrCat(
      Field("input", OneLine(story.input)), Field("strategy", story.strategy),
      Field("kind", PlanKindName(story.problem->kind())),
      Field("status", status),
      Field("total", assigned ? FormatBytes(plan.total_size) : "-"),
      Field("lower bound", FormatBytes(plan.lower_bound)),
      Field("ratio", assigned ? FormatRatio(ratio) : "-"),
      Field("naive size", FormatBytes(story.problem->naive_size())),
      Field("records", absl::StrCat(story.ids->size())),
      Field("time", assigned ? FormatTime(plan.time) : "-"),
      plan.conflict.empty() ? ""
                            : Field("conflict", ConflictOf(*story.ids, plan)));
}

std::string JsonOf(const PlanStory& story) {
  const Solution& plan = *story.plan;
  Json document = {{"input", std::string(story.input)},
                   {"strategy", std::string(story.strategy)},
                   {"kind", std::string(PlanKindName(story.problem->kind()))},
                   {"status", std::string(SolutionStatusName(plan.status))},
                   {"total_size", nullptr},
                   {"lower_bound", plan.lower_bound},
                   {"naive_size", story.problem->naive_size()},
                   {"records", story.ids->size()}};
  if (plan.has_plan()) {
    document["total_size"] = plan.total_size;
    if (story.problem->kind() == PlanKind::kOffsets) {
      document["offsets"] = plan.offsets()->offsets;
    } else {
      document["object_ids"] = plan.objects()->object_ids;
      document["object_sizes"] = plan.objects()->object_sizes;
    }
  }
  if (!plan.conflict.empty()) {
    Json& conflict = document["conflict"] = Json::array();
    for (const size_t i : plan.conflict) {
      conflict.push_back((*story.ids)[i]);
    }
    document["irreducible"] = plan.conflict_is_irreducible;
  }
  document["plan_micros"] = Micros(plan.time);
  return Dump(document);
}

}  // namespace

std::string Tell(const PlanStory& story, Format format) {
  return format == Format::kJson ? JsonOf(story) : TextOf(story);
}

}  // namespace stowage::cli
