// SPDX-License-Identifier: Apache-2.0
// A program as a planner: a trace goes in as a file, a plan comes out as one.
//
//   absl::StatusOr<std::unique_ptr<ProgramPlanner>> program =
//       ProgramPlanner::Create({"my-planner", "{in}", "{out}"}, limits);
//   absl::StatusOr<OffsetsAssignment> plan =
//       (*program)->PlanOffsets(records, alignments);
//
// To check such a program use PlannerCheck (stowage/testing/check_planner.h).
// A program of the form kServer is started once and told the files of each run
// on its standard input (server_process.h).
// Both files are in a private folder that is renewed for every call and removed
// at the end. docs/trace-format.md says what they hold.
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
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/trace.h"

namespace stowage::program {

class ProgramPlanner {
 public:
  // Plan files that are larger are not read: far above what the largest trace
  // takes.
  static constexpr size_t kMaxPlanBytes = size_t{256} << 20;
  // The exit code of a program that does not claim to do what it is asked, such
  // as alignments: its form of Unimplemented.
  static constexpr int kUnsupported = 77;

  enum class Form {
    kOneRun,  // a process for each run; {in} and {out} in the command are files
    kServer,  // one process, which is told IN, a tab and OUT for each run
  };

  // `words` are those of the command. Starts nothing and makes no folder.
  // Error: InvalidArgument if {in} or {out} is missing in a command of the form
  // kOneRun, or there in one of kServer.
  static absl::StatusOr<std::unique_ptr<ProgramPlanner>> Create(
      std::vector<std::string> words, const ChildLimits& limits,
      Form form = Form::kOneRun);
  ProgramPlanner(const ProgramPlanner&) = delete;
  ProgramPlanner& operator=(const ProgramPlanner&) = delete;

  // One run of the program. Errors:
  //   Unimplemented       no trace file can hold the records, or the program
  //                       exited with kUnsupported
  //   Aborted             the program crashed, ran too long or printed too
  //                       much; or it exited with 128 + n, as shells do when
  //                       their command was ended by signal n; or, of a
  //                       server, it ended or printed what is not an answer
  //   NotFound            it exited with 126 or 127, as shells do when the
  //                       command cannot be run or found
  //   Cancelled           it was stopped
  //   FailedPrecondition  it exited with another code than 0
  //   DataLoss            there is no plan, or none for this trace
  //   others              it could not be run: see error()
  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const ByteRecord> records, const Alignments& alignments);
  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const ByteRecord> records);
  // The same for a problem of offsets: {in} is a problem file, and with pools
  // the plan has a column `chosen_pool`.
  absl::StatusOr<OffsetsAssignment> PlanProblem(const Problem& problem);

  // Runs of the program, and those that gave a plan, good or bad.
  size_t run_count() const { return run_count_; }
  size_t plan_count() const { return plan_count_; }

  // The records of the last run.
  const testing::Instance& last_instance() const { return last_instance_; }

  // Kills the program if it is running, starts it no more, and removes the
  // folder. For another thread, before the process ends at once.
  void Abort();

  // What no planner may do, whatever it is asked.
  struct Fault {
    enum class Kind {
      kEnd,     // the error Aborted or NotFound of above
      kOutput,  // it exited with code 0 and left no plan file that can be read
    };
    Kind kind = Kind::kEnd;
    testing::Instance instance;
    absl::Status status;
  };
  // The first since the planner was made or ClearFault() called.
  const absl::optional<Fault>& fault() const { return fault_; }
  void ClearFault() { fault_.reset(); }

  // The first time that it could not be run: it cannot be started, or a file
  // cannot be written, or its plan not be read. Or OK.
  const absl::Status& error() const { return error_; }

 private:
  ProgramPlanner(std::vector<std::string> words, ChildLimits limits, Form form);

  absl::StatusOr<std::vector<size_t>> PlanColumnOf(const Trace& trace,
                                                   absl::string_view column);
  absl::StatusOr<std::string> PlanFileOf(absl::string_view name,
                                         absl::string_view content);
  absl::StatusOr<ChildResult> Ask(const std::string& in,
                                  const std::string& out);
  absl::Status RunProgram(const std::string& in, const std::string& out);
  absl::Status StatusOf(const ChildResult& result) const;
  void SetLastInstance(testing::Instance instance);
  absl::Status NoteUnreadable(absl::Status status);
  void SetFault(Fault::Kind kind, const testing::Instance& instance,
                const absl::Status& status);

  std::vector<std::string> words_;
  ChildSlot slot_;
  ChildLimits limits_;
  std::unique_ptr<ServerProcess> server_;  // null for a process for each run
  PrivateFolder folder_;
  testing::Instance last_instance_;
  testing::Instance previous_instance_;  // the one before
  size_t run_count_ = 0;
  size_t plan_count_ = 0;
  absl::optional<Fault> fault_;
  absl::Status error_;
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_TESTING_PROGRAM_PLANNER_H_
