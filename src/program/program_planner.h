// A program as a planner: a trace goes in as a file, a plan comes out as one.
//
//   absl::StatusOr<ProgramPlanner> program = ProgramPlanner::Create(
//       {"my-planner", "{in}", "{out}"}, limits);
//   absl::StatusOr<OffsetsAssignment> plan =
//       program->PlanOffsets(records, alignments);
//
// Both files are in a private folder that is made anew for every call and
// removed at the end. docs/trace-format.md says what they hold.
#ifndef STOWAGE_SRC_PROGRAM_PROGRAM_PLANNER_H_
#define STOWAGE_SRC_PROGRAM_PROGRAM_PLANNER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/program/child_process.h"
#include "src/program/private_folder.h"
#include "stowage/assignment.h"
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
  // What a program exits with that does not claim to do what it is asked, such
  // as alignments: its word for Unimplemented.
  static constexpr int kUnsupported = 77;

  // `words` are those of the command, with {in} and {out} for the files. Error:
  // InvalidArgument if one of these is missing; those of PrivateFolder.
  static absl::StatusOr<ProgramPlanner> Create(std::vector<std::string> words,
                                               const ChildLimits& limits);

  // One run of the program. Errors:
  //   Unimplemented       no trace file can hold the records, or the program
  //                       exited with kUnsupported
  //   Aborted             the program crashed, ran too long or printed too
  //                       much; or it exited with 128 + n, as shells do when
  //                       their command was ended by signal n
  //   Cancelled           it was stopped
  //   FailedPrecondition  it exited with another code than 0
  //   DataLoss            there is no plan, or none for this trace
  //   others              it could not be asked: see error()
  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const ByteRecord> records, const Alignments& alignments);
  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const ByteRecord> records);

  // Of the program.
  size_t runs() const { return runs_; }
  // Runs that gave a plan, good or bad.
  size_t plans() const { return plans_; }

  // What it was asked last.
  const testing::Instance& asked() const { return asked_; }

  // For another thread, when the process ends at once: kills the program if it
  // runs, starts it no more, and removes the folder.
  void Abandon();

  // What no planner may do, whatever it is asked: the error Aborted of above.
  struct Misdeed {
    testing::Instance asked;
    absl::Status status;
  };
  // The first since the planner was made or told to forget.
  const absl::optional<Misdeed>& misdeed() const { return misdeed_; }
  void Forget() { misdeed_.reset(); }

  // The first time that it could not be asked: it cannot be started, or a file
  // cannot be written, or its plan not be read. Or OK.
  const absl::Status& error() const { return error_; }

 private:
  ProgramPlanner(std::vector<std::string> words, const ChildLimits& limits,
                 PrivateFolder folder);

  // The program's plan file for the trace, and whose its rows are.
  struct Answer {
    Trace plan;
    std::vector<size_t> rows;
  };
  absl::StatusOr<Answer> Ask(const Trace& trace);
  absl::Status Run(const std::string& in, const std::string& out);

  std::vector<std::string> words_;
  std::unique_ptr<ChildSlot> slot_;
  ChildLimits limits_;
  PrivateFolder folder_;
  testing::Instance asked_;
  size_t runs_ = 0;
  size_t plans_ = 0;
  absl::optional<Misdeed> misdeed_;
  absl::Status error_;
};

}  // namespace stowage::program

#endif  // STOWAGE_SRC_PROGRAM_PROGRAM_PLANNER_H_
