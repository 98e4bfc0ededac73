// SPDX-License-Identifier: Apache-2.0
// Tests a planner that is a separate program, in any language. Reports which
// properties the program has on generated traces, and the smallest trace on
// which it violates a property. For a planner in this process, use FindFailure
// (find_failure.h).
//
//   auto check = PlannerCheck::Create("my-planner {in} {out}", {});
//   auto report = (*check)->CheckGeneratedTraces();
//   if (report->failure) std::cerr << report->failure->status;
//
// The program reads a trace from the file {in} and writes a plan to {out}: a
// CSV file with the columns `id` and `offset` (or `object`), with rows in any
// order; other columns are ignored. The exit code of the program must be 0 if
// it has written a plan, 77 if the trace needs a feature that the program does
// not support, such as alignments, and any other code if the records have no
// plan. For details, see docs/cli.md. The command `stowage check-planner` runs
// the same check.
#ifndef STOWAGE_TESTING_CHECK_PLANNER_H_
#define STOWAGE_TESTING_CHECK_PLANNER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// Says how a program is tested.
struct PlannerCheckOptions {
  PlanKind kind = PlanKind::kOffsets;
  // The families of the traces, which successive traces use in turn. If empty,
  // all families are used.
  std::vector<Family> families;
  uint64_t seed = 1;
  size_t traces = 100;
  // The maximum number of samples (families.h) in a trace. In most families,
  // each sample becomes one record. The first traces have fewer samples. If
  // there are more traces than three times this number, the third trace is
  // empty.
  size_t max_records = 20;
  // One trace in 17 is large: half of the large traces have 70 records, the
  // others this number. Some families give fewer, but with the defaults at
  // least one trace has this number. Large traces overflow the fixed tables of
  // 64 or 256 entries that some planners have. If 0, no trace is large.
  size_t large_records = 300;
  // If above 1, every second trace of a family has alignments: up to 256 in
  // half of these traces, and up to this power of two in the other half. If 1,
  // no trace has alignments. Not used for shared objects.
  size_t max_alignment = size_t{1} << 17;
  // The features that the program supports beyond records and alignments; a
  // subset of kConstraintFeatures. If not empty, every second trace is a
  // problem with only these features, in the format of problem_file.h. The
  // program may write the plan of such a problem as a problem file with a plan,
  // or as a CSV file, which has the column `chosen_pool` if there are pools.
  // Not used for shared objects.
  FeatureSet claims;
  // If true, all properties are checked on all traces. If false, the check
  // stops at the first failure.
  bool keep_going = false;
  // If true, a process of the program plans many traces: each of the `jobs`
  // parallel jobs starts the program once, and restarts it only after a failure
  // that terminates the program. For each run, the program reads the names of
  // the files from its standard input, by the protocol of
  // docs/test-your-planner.md, and the command must not contain {in} and {out}.
  // If false, the program is started for each run.
  bool serve = false;
  // The maximum number of concurrent runs of the program.
  size_t jobs = 1;
  // The maximum number of attempts to find a smaller trace.
  size_t max_shrinks = 500;
  // The time limit of a run; a run that takes longer fails. Shrinking takes at
  // most ten times this duration in total.
  absl::Duration run_time_limit = absl::Seconds(10);
  // After this time, the check stops and returns its results so far.
  absl::Duration time_limit = absl::InfiniteDuration();
  // When this flag becomes true, the check stops and returns its results so
  // far. Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  // If set, this function is called before each trace is tried, with the number
  // of the trace, and before a trace is shrunk, with the value of `traces`. The
  // arguments increase from call to call. All calls are on the thread that runs
  // the check.
  std::function<void(size_t trace)> on_trace;
};

// Returns the maximum time that shrinking may take.
absl::Duration ShrinkTimeOf(const PlannerCheckOptions& options);

// The result of the check for one property.
struct PropertyResult {
  std::string name;
  std::string sentence;  // says what should hold
  // The number of traces for which the program returned a plan and the property
  // held. For `ends` and `output` (PlannerCheckReport), traces without a plan
  // are also counted.
  size_t traces = 0;
  absl::Status status;  // the first reason why the property failed
};

// A failure of the program, and the trace on which it failed.
struct PlannerFailure : FailingSpecs {
  // The index of the first property that failed, in the order of the report.
  // Properties of a single plan come before properties that compare the plans
  // of changed traces.
  size_t property = 0;
  // The family of the trace. Meaningful only if the trace was generated and is
  // not a problem with constraints.
  Family family = Family::kChains;
  size_t trace = 0;  // the number of the trace, counted from 0
};

struct PlannerCheckReport {
  enum class End {
    kComplete,   // all traces were tried
    kFailure,    // the first failure ended the check
    kTimeLimit,  // `time_limit` ended the check
    kCancelled,
  };

  // The results, in this order:
  //   ends    the program exits in time by itself and prints little
  //   output  the program leaves a plan file that can be read
  //   the properties of AllProperties or AllObjectsProperties (properties.h),
  //   except `bounds`, since a plan file does not state the total
  //   the properties of ProblemProperties, if features are claimed
  // If `ends` or `output` fails, no other property is checked.
  std::vector<PropertyResult> properties;
  size_t traces = 0;  // the number of traces that were tried
  size_t runs = 0;    // the number of runs of the program
  End end = End::kComplete;
  absl::optional<PlannerFailure> failure;
};

// Checks one program. Only the Check functions run the program.
class PlannerCheck {
 public:
  // Creates the check without starting the program. `command` is split into
  // words by the rules of shells for quotes and backslashes, but is not passed
  // to a shell. Error: InvalidArgument if the command cannot be split, if it
  // lacks {in} or {out}, or if options.serve is set and it contains {in} or
  // {out}.
  static absl::StatusOr<std::unique_ptr<PlannerCheck>> Create(
      absl::string_view command, PlannerCheckOptions options);
  ~PlannerCheck();
  PlannerCheck(const PlannerCheck&) = delete;
  PlannerCheck& operator=(const PlannerCheck&) = delete;

  // Checks the properties on generated traces (PlannerCheckOptions::traces),
  // and shrinks the trace of a failure. A program that plans none of the traces
  // fails `completeness`, provided that at least one trace has a plan. If the
  // first run leaves no readable plan file, the check stops after this run. If
  // the program is deterministic and no time limit is reached, the report
  // depends only on the options other than `jobs`.
  //
  // Errors: those that the system reports if the program cannot be started, or
  // if its files cannot be written or read; NotFound if the program exits with
  // 126 or 127 before it has planned any trace, since these are the exit codes
  // of shells that do not find the command.
  absl::StatusOr<PlannerCheckReport> CheckGeneratedTraces();

  // Checks the properties on this problem only, without shrinking it. The
  // problem may come from FailingSpecs::asked of an earlier failure. Errors:
  // InvalidArgument if the records or alignments of the problem are invalid, or
  // if the problem requires a feature that is not claimed; those of
  // CheckGeneratedTraces.
  absl::StatusOr<PlannerCheckReport> CheckTrace(ProblemSpec problem);

  // Kills the program, prevents further starts, and removes the files in which
  // traces and plans are exchanged. May be called on another thread just before
  // the process exits.
  void Abort();

 private:
  class Impl;
  explicit PlannerCheck(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_CHECK_PLANNER_H_
