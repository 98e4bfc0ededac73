// SPDX-License-Identifier: Apache-2.0
// Tests a planner that is a separate program, in any language. Reports which
// properties hold for the program on generated traces, and the smallest trace
// on which a property does not hold. For a planner in this process, use
// FindFailure (find_failure.h).
//
//   auto check = PlannerCheck::Create("my-planner {in} {out}", {});
//   auto report = (*check)->CheckGeneratedTraces();
//   if (report->failure) std::cerr << report->failure->status;
//
// The program reads a trace from the file {in} and writes a plan to {out}: a
// CSV file with the columns `id` and `offset` (or `object`), with rows in any
// order; other columns are ignored. The program then exits with 0. It exits
// with 77 for a feature that it does not claim, such as alignments, and with
// any other code for records that have no plan. docs/cli.md has the details.
// The command `stowage check-planner` runs the same check.
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
  // The families of the traces; successive traces use them in turn. All
  // families are used if the list is empty.
  std::vector<Family> families;
  uint64_t seed = 1;
  size_t traces = 100;
  // The maximum number of samples (families.h) from which a trace is made. In
  // most families each sample stands for one record. The first traces are made
  // from fewer samples.
  size_t max_records = 20;
  // One trace in 16 is large. Half of the large traces have up to 70 records,
  // the others up to this number. Some planners have tables of 64 or 256
  // entries, which large traces fill. With 0, no trace is large.
  size_t large_records = 300;
  // If above 1, every second trace of a family has alignments: half of these
  // traces have alignments up to 256, and half up to this power of two. If 1,
  // no trace has alignments. Not used for shared objects.
  size_t max_alignment = size_t{1} << 17;
  // The features that the program supports beyond records and alignments. They
  // must be a subset of kConstraintFeatures. If there are such features, every
  // second trace is a problem with only these features, in the format of
  // problem_file.h. The program writes the plan of such a problem in one of two
  // forms: as a problem file with a plan, or as a CSV file, which has the
  // column `chosen_pool` if there are pools. Not used for shared objects.
  FeatureSet claims;
  // If true, all properties are checked on all traces. If false, the check ends
  // with the first failure.
  bool keep_going = false;
  // If true, the program is not started for each run. Each of the `jobs`
  // parallel jobs starts the program once, and again after each failure that
  // ends the program. The program reads the names of the files of each run from
  // its standard input, by the protocol of docs/test-your-planner.md. The
  // command must not contain {in} and {out}.
  bool serve = false;
  // The maximum number of runs of the program at the same time.
  size_t jobs = 1;
  // The number of attempts to find a smaller trace.
  size_t max_shrinks = 500;
  // A run that takes longer than this fails. Shrinking takes at most ten times
  // this duration in total.
  absl::Duration run_time_limit = absl::Seconds(10);
  // After this time the check ends with its results so far.
  absl::Duration time_limit = absl::InfiniteDuration();
  // When this flag becomes true, the check ends with its results so far. The
  // pointer is not owned, and may be null.
  const std::atomic<bool>* cancelled = nullptr;
  // If set, this function is called before each trace is tried, and before a
  // trace is shrunk. In the first case, its argument is the number of the
  // trace; in the second case, it is the value of `traces`. The numbers rise.
  // All calls are on the thread of the check.
  std::function<void(size_t trace)> on_trace;
};

// Returns the maximum time that shrinking takes.
absl::Duration ShrinkTimeOf(const PlannerCheckOptions& options);

// The result of the check for one property.
struct PropertyResult {
  std::string name;
  std::string sentence;  // says what should hold
  // The number of traces for which the program returned a plan and the property
  // held. For `ends` and `output` (PlannerCheckReport), traces without a plan
  // count, too.
  size_t traces = 0;
  absl::Status status;  // the first reason why the property failed
};

// A failure of the program, with the trace on which it failed.
struct PlannerFailure : FailingSpecs {
  // The index of the first property that failed, in the order of the report:
  // properties of a single plan come before those that compare plans of changed
  // traces.
  size_t property = 0;
  // The family of the trace. It is meaningful only if the trace is generated
  // and is not a problem with constraints.
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
  //   ends    the program ends by itself in time and prints little
  //   output  the program leaves a plan file that can be read
  //   the properties of AllProperties or AllObjectsProperties (properties.h),
  //   except `bounds`, since a plan file does not give the total
  //   the properties of ProblemProperties, if features are claimed
  // If `ends` or `output` fails, nothing else is checked.
  std::vector<PropertyResult> properties;
  size_t traces = 0;  // the number of traces that were tried
  size_t runs = 0;    // the number of runs of the program
  End end = End::kComplete;
  absl::optional<PlannerFailure> failure;
};

// Checks one program. Only the Check functions run the program.
class PlannerCheck {
 public:
  // Creates the check, and starts nothing. `command` is split into words by the
  // rules of shells, with quotes and backslashes, but no shell reads it. Error:
  // InvalidArgument if the command cannot be split, if it lacks {in} or {out},
  // or if options.serve is set and the command contains {in} or {out}.
  static absl::StatusOr<std::unique_ptr<PlannerCheck>> Create(
      absl::string_view command, PlannerCheckOptions options);
  ~PlannerCheck();
  PlannerCheck(const PlannerCheck&) = delete;
  PlannerCheck& operator=(const PlannerCheck&) = delete;

  // Checks the properties on generated traces (PlannerCheckOptions::traces),
  // and shrinks the trace of a failure. A program that plans none of the traces
  // fails `completeness`, provided that one of the traces has a plan. If the
  // first run leaves no plan file that can be read, the check ends after this
  // run. If the program is deterministic and no time limit is reached, the
  // report depends only on the options, and not on `jobs`. Errors: those that
  // the system reports if the program cannot be started, or if its files cannot
  // be written or read; NotFound if the program exits with 126 or 127 before it
  // has planned anything, since shells exit with these codes if they do not
  // find the command.
  absl::StatusOr<PlannerCheckReport> CheckGeneratedTraces();

  // Checks the properties on this problem alone, without shrinking it. The
  // problem may be FailingSpecs::asked of an earlier failure. Errors:
  // InvalidArgument if the records or alignments of the problem are invalid, or
  // if the problem requires a feature that is not claimed; those of
  // CheckGeneratedTraces.
  absl::StatusOr<PlannerCheckReport> CheckTrace(ProblemSpec problem);

  // Kills the program, prevents further starts, and removes the files through
  // which traces and plans are passed. This function may be called on another
  // thread just before the process ends.
  void Abort();

 private:
  class Impl;
  explicit PlannerCheck(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_CHECK_PLANNER_H_
