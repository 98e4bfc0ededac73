// What stowage plan has to tell, as text and as JSON.
#ifndef STOWAGE_SRC_CLI_PLAN_REPORT_H_
#define STOWAGE_SRC_CLI_PLAN_REPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/cli/options.h"
#include "stowage/planner.h"

namespace stowage::cli {

struct PlanStory {
  absl::string_view input;
  absl::string_view strategy;
  const std::vector<std::string>* ids = nullptr;  // of the records
  const Problem* problem = nullptr;
  const Solution* plan = nullptr;
};

std::string Tell(const PlanStory& story, Format format);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_PLAN_REPORT_H_
