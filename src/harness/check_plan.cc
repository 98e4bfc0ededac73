// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/bisect.h"
#include "src/harness/compare_runs.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

absl::StatusOr<CheckReport> CheckPlan(const Model& model,
                                      const OperatorResolver& resolver,
                                      const CheckOptions& options) {
  if (absl::Status s = CheckEntries(model, options); !s.ok()) return s;
  if (options.invocations == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": 0 invocations; expected 1 or more"));
  }
  RunProgress progress;
  absl::StatusOr<CheckReport> report =
      CompareRuns(model, resolver, options, &progress);
  if (!report.ok() || report->is_safe() || report->is_without_sharing ||
      !options.bisect || !options.followers.empty()) {
    return report;
  }
  absl::StatusOr<Bisection> bisection =
      Bisect(model, resolver, options, progress.plans);
  if (!bisection.ok()) return bisection.status();
  report->bisection = *std::move(bisection);
  return report;
}

std::string CheckReport::Text() const {
  if (is_safe()) {
    return absl::StrCat("under ", plan_strategy,
                        " as without sharing, bit for bit\n");
  }
  std::string text;
  if (is_without_sharing) text = "without sharing: ";
  if (!finding.ok()) absl::StrAppend(&text, finding.message(), "\n");
  if (difference) absl::StrAppend(&text, difference->text, "\n");
  if (!bisection) return text;
  absl::StrAppend(&text, bisection->text, " (", bisection->runs, " runs)\n");
  for (const SharingPair& pair : bisection->pairs) {
    absl::StrAppend(&text, "  ", pair.text, "\n");
  }
  return text;
}

}  // namespace stowage::harness
