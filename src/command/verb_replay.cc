// SPDX-License-Identifier: Apache-2.0
// The verb `stowage replay`: runs a program and serves its allocations from one
// planned arena.
#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "src/command/plan_verdict.h"
#include "src/command/preload_library.h"
#include "src/command/program_arguments.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/replay.h"

namespace stowage::cli {
namespace {

constexpr absl::string_view kReplayLibrary = "libstowage_replay.so";

struct ReplayArgs {
  std::string plan_path;
  bool poisons = false;
};

// Returns the process of the program, or 0 if it is not running. The variable
// outlives every guard, since the actions of a guard may run on another thread
// while the command terminates.
std::atomic<pid_t>& ReplayedProcess() {
  static std::atomic<pid_t> process{0};
  return process;
}

// Terminates the program if the command has to stop first.
void EndReplayedProcess() {
  const pid_t process = ReplayedProcess();
  if (process > 0) kill(process, SIGTERM);
}

// Returns the outcome for an error of Replay. Messages about the plan contain
// the name of the plan file.
Outcome FailedReplay(const ReplayArgs& args, const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition: {
      const bool is_bad = absl::IsInvalidArgument(status);
      return Failure(is_bad ? ExitCode::kBadInput : ExitCode::kRefuted,
                     absl::StrCat(args.plan_path, ": ", status.message()));
    }
    case absl::StatusCode::kUnimplemented:
      return Misuse("replay", status.message());
    default:
      return BadInput(status);
  }
}

Outcome OutcomeOf(const ReplayArgs& args, const ReplayReport& report,
                  const std::string& program) {
  const std::string& name = report.program.empty() ? program : report.program;
  if (!report.divergence.empty()) {
    return Failure(ExitCode::kRefuted, absl::StrCat(args.plan_path, ": ", name,
                                                    " ", report.divergence));
  }
  return {ExitCode::kDone, "",
          absl::StrCat(OneLine(name), ": ran to its end from one arena of ",
                       report.arena_bytes, " bytes: ", report.allocations,
                       " allocations of ", report.bytes_asked,
                       " bytes; exit code ", report.exit_code, "\n")};
}

// Checks whether the plan is safe for its own records. A plan that is safe for
// them may still be wrong for the program if the program allocates other
// records.
absl::StatusOr<PlanVerdict> CheckOwnRecords(const std::string& path,
                                            const ProblemFile& plan) {
  const NamedFile file = {path, plan};
  return CheckPlanFile(file, file, absl::nullopt);
}

Outcome RunReplay(const CLI::App& verb, const ReplayArgs& args) {
  const absl::StatusOr<std::vector<std::string>> program =
      ProgramArguments(verb);
  if (!program.ok()) return Misuse("replay", program.status().message());
  if (args.plan_path == "-") {
    return Misuse("replay",
                  "PLAN: is standard input, which belongs to the program; "
                  "expected a file");
  }
  const InputOptions options;
  InputReader inputs(options);
  const absl::StatusOr<ProblemFile> plan = inputs.Read(args.plan_path);
  if (!plan.ok()) return BadInput(plan.status());
  const absl::StatusOr<PlanVerdict> verdict =
      CheckOwnRecords(args.plan_path, *plan);
  if (!verdict.ok()) return BadInput(verdict.status());
  if (!verdict->is_safe()) {
    return Failure(
        ExitCode::kRefuted,
        absl::StrCat(args.plan_path, ": unsafe: ", verdict->message));
  }
  ReplayRequest request;
  request.command = *program;
  request.library = PreloadLibrary(kReplayLibrary);
  request.poisons = args.poisons;
  request.on_process = [](pid_t process) { ReplayedProcess() = process; };
  const AbortGuard guard({nullptr, EndReplayedProcess});
  const absl::StatusOr<ReplayReport> report = Replay(*plan, request);
  if (!report.ok()) return FailedReplay(args, report.status());
  return OutcomeOf(args, *report, program->front());
}

}  // namespace

void AddReplay(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "replay",
      "Run a recorded program with its allocations in one planned arena");
  auto args = std::make_shared<ReplayArgs>();
  AddInput(verb, "PLAN", &args->plan_path,
           "A plan (CSV or JSON) of the recorded allocations of the program; "
           "each id is the number of an allocation");
  verb->add_flag("--poison", args->poisons,
                 "Overwrite the bytes of a block when it is freed");
  AddProgram(verb);
  verb->footer(
      "Example:\n"
      "  stowage record -o logs -- sort data/traces/bert.csv\n"
      "  stowage plan logs/* --strategy skyline -o plan.csv\n"
      "  stowage replay plan.csv -- sort data/traces/bert.csv");
  verb->callback([action, args, verb] {
    *action = [args, verb] { return RunReplay(*verb, *args); };
  });
}

}  // namespace stowage::cli
