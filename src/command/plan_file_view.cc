// SPDX-License-Identifier: Apache-2.0
#include "src/command/plan_file_view.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/inputs.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {

absl::StatusOr<views::PlanView> ReadPlanView(const std::string& path,
                                             InputReader* inputs) {
  absl::StatusOr<ProblemFile> plan = inputs->Read(path);
  if (!plan.ok()) return plan.status();
  if (plan->plan.empty() && !plan->problem.records.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(path), ": no plan; expected what `stowage plan ",
                     path, " -o plan.csv` writes"));
  }
  absl::StatusOr<views::PlanView> view =
      views::ViewPlan(*std::move(plan), {InputName(path), ""});
  if (view.ok()) return view;
  return AboutInput(path, {}, view.status());
}

std::string UnsafeLine(const std::string& path, const views::PlanView& view) {
  if (!view.violation) return "";
  return absl::StrCat(OneLine(InputName(path)),
                      ": unsafe: ", OneLine(view.violation_text), "\n");
}

}  // namespace stowage::cli
