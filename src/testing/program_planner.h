// SPDX-License-Identifier: Apache-2.0
// Runs a program as a planner. The program reads a trace file and writes a plan
// file.
//
//   absl::StatusOr<std::unique_ptr<ProgramPlanner>> program =
//       ProgramPlanner::Create({"my-planner", "{in}", "{out}"}, limits);
//   absl::StatusOr<OffsetsAssignment> plan =
//       (*program)->PlanOffsets(SpecOf(records, alignments));
//
// To check such a program, use PlannerCheck (stowage/testing/check_planner.h).
// A program of the form kServer is started once and receives the file names of
// each run on its standard input (server_process.h). Both files are in a
// private folder, which is replaced for every call and removed at the end.
// Their contents are described in docs/trace-format.md.
#ifndef STOWAGE_SRC_TESTING_PROGRAM_PLANNER_H_
#define STOWAGE_SRC_TESTING_PROGRAM_PLANNER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/testing/child_process.h"
#include "src/testing/private_folder.h"
#include "src/testing/server_process.h"
#include "stowage/assignment.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/specs.h"

namespace stowage::program {

class ProgramPlanner {
 public:
  // The maximum size of a plan file; larger files are not read. Far above the
  // size of the plan of the largest trace.
  static constexpr size_t kMaxPlanBytes = size_t{256} << 20;
  // The exit code of a program that does not support a requested feature, such
  // as alignments. Corresponds to Unimplemented.
  static constexpr int kUnsupported = 77;

  enum class Form {
    // Runs one process for each run. The words of the command contain {in} and
    // {out}.
    kOneRun,
    kServer,  // runs one process, which reads "IN<tab>OUT" for each run
  };

  // Creates a planner that runs the command with these words. Neither starts a
  // process nor creates a folder. Errors: InvalidArgument if {in} or {out} is
  // missing in a command of the form kOneRun, or is present in a command of the
  // form kServer.
  static absl::StatusOr<std::unique_ptr<ProgramPlanner>> Create(
      std::vector<std::string> words, const ChildLimits& limits,
      Form form = Form::kOneRun);
  ProgramPlanner(const ProgramPlanner&) = delete;
  ProgramPlanner& operator=(const ProgramPlanner&) = delete;

  // Runs the program once. Errors:
  //   Unimplemented       the records cannot be in a trace file, or the program
  //                       exited with kUnsupported
  //   Aborted             the program crashed, ran too long or printed too
  //                       much; or it exited with 128 + n, as shells do when
  //                       their command was terminated by signal n; or a server
  //                       ended, or printed something other than an answer
  //   NotFound            the program exited with 126 or 127, as shells do when
  //                       the command cannot be run or found
  //   Cancelled           the run was cancelled
  //   FailedPrecondition  the program exited with any other code except 0
  //   DataLoss            there is no plan, or none for this trace
  //   others              the program could not be run: see error()
  // If the problem has constraints, {in} is a problem file. If it has pools,
  // the plan file must have a column `chosen_pool`.
  absl::StatusOr<OffsetsAssignment> PlanOffsets(const ProblemSpec& spec);
  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      const ProblemSpec& spec);

  // Return the number of runs of the program, and the number of those runs that
  // returned a plan, whether good or bad.
  size_t run_count() const { return run_count_; }
  size_t plan_count() const { return plan_count_; }

  // Returns the problem of the last run.
  const ProblemSpec& last_spec() const { return last_spec_; }

  // Kills the program if it is running, prevents further starts, and removes
  // the folder. May be called by another thread immediately before the process
  // exits.
  void Abort();

  // A failure that is the fault of the program regardless of the problem.
  struct Fault {
    enum class Kind {
      kEnd,     // has the errors Aborted and NotFound above
      kOutput,  // has exit code 0, but no plan file that can be read
    };
    Kind kind = Kind::kEnd;
    ProblemSpec spec;
    absl::Status status;
  };
  // Returns the first fault since the planner was created or ClearFault() was
  // called.
  const absl::optional<Fault>& fault() const { return fault_; }
  void ClearFault() { fault_.reset(); }

  // Returns the first error that prevented the program from being run, or OK.
  // Such errors are that the program cannot be started, that a file cannot be
  // written, or that the plan file cannot be read.
  const absl::Status& error() const { return error_; }

 private:
  ProgramPlanner(std::vector<std::string> words, ChildLimits limits, Form form);

  absl::StatusOr<ProblemFile> PlanFor(const ProblemSpec& spec,
                                      absl::string_view column);
  absl::StatusOr<std::string> PlanFileOf(absl::string_view name,
                                         absl::string_view content);
  absl::StatusOr<ChildResult> Ask(const std::string& in,
                                  const std::string& out);
  absl::Status RunProgram(const std::string& in, const std::string& out);
  absl::Status StatusOf(const ChildResult& result) const;
  absl::Status NoteUnreadable(absl::Status status);
  void SetFault(Fault::Kind kind, const ProblemSpec& spec,
                const absl::Status& status);

  std::vector<std::string> words_;
  ChildSlot slot_;
  ChildLimits limits_;
  // Null if each run has its own process.
  std::unique_ptr<ServerProcess> server_;
  PrivateFolder folder_;
  ProblemSpec last_spec_;
  ProblemSpec previous_spec_;  // the problem of the run before the last
  size_t run_count_ = 0;
  size_t plan_count_ = 0;
  absl::optional<Fault> fault_;
  absl::Status error_;
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PROGRAM_PLANNER_H_
