// SPDX-License-Identifier: Apache-2.0
// Implements the option --bisect-delegate of `stowage run`.
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/harness/bisect_delegate.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

using harness::DelegateBisection;
using harness::DelegatedOperator;

Answer AnswerOf(const RunArgs& args, const DelegateBisection& found) {
  Json nodes = Json::array();
  for (const DelegatedOperator& op : found.nodes) {
    nodes.push_back(
        {{"node", op.node}, {"delegate", op.delegate}, {"place", op.place}});
  }
  Json bisection = {{"differs", found.differs()},
                    {"tolerance", args.tolerance},
                    {"delegated", found.delegated},
                    {"nodes", nodes},
                    {"runs", found.runs}};
  if (found.differs()) bisection["difference"] = found.difference;
  Answer answer;
  answer.Add("input", "input", args.model, InputName(args.model));
  answer.AddData("bisection", std::move(bisection));
  answer.Say("delegated", Count(found.delegated, "node"));
  answer.Say("runs", found.runs);
  answer.SayLine(Lines(found.Text()));
  return answer;
}

}  // namespace

Outcome BisectRun(const RunArgs& args, const Model& model,
                  const harness::RunOptions& options) {
  const absl::StatusOr<DelegateBisection> found =
      harness::BisectDelegates(model, options, args.tolerance);
  if (!found.ok()) return FailedRun(found.status());
  const std::string name = OneLine(InputName(args.model));
  Outcome outcome;
  outcome.out = AnswerOf(args, *found).Render(args.format);
  if (!found->differs()) return outcome;
  outcome.code = ExitCode::kRefuted;
  const bool says_expected =
      absl::StrContains(found->difference, "; expected ");
  outcome.err = absl::StrCat(
      name, ": with delegates: ", OneLine(found->difference),
      says_expected ? "\n" : "; expected outputs as without delegates\n");
  return outcome;
}

}  // namespace stowage::cli
