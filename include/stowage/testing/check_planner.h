// SPDX-License-Identifier: Apache-2.0
// The kit for a planner that is a program of its own, in any language: which
// properties hold of it on generated traces, and the smallest trace on which
// one does not. For a planner in this process use FindFailure (find_failure.h).
//
//   auto check = PlannerCheck::Create("my-planner {in} {out}", {});
//   auto report = (*check)->CheckGeneratedTraces();
//   if (report->failure) std::cerr << report->failure->status;
//
// The program reads a trace from the file {in} and writes a plan to {out}: a
// CSV file with the columns `id` and `offset` (or `object`), rows in any order;
// other columns are ignored. It exits with 0 then; with 77 for what it does not
// claim to do, such as alignments; with another code for records that have no
// plan. docs/cli.md has the details, for `stowage check-planner` is a shell
// over this.
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
#include "stowage/testing/instance.h"

namespace stowage::testing {

struct PlannerCheckOptions {
  PlanKind kind = PlanKind::kOffsets;
  std::vector<Family> families;  // all if empty; they alternate
  uint64_t seed = 1;
  size_t traces = 100;
  size_t max_records = 20;  // draws of a trace; the first traces have fewer
  // One trace in 16 has up to 70 records, or this many, for tables that are
  // full at 64 or 256. 0 for none.
  size_t large_records = 300;
  // Above 1 every other trace of a family has alignments, half of them up to
  // 256 and half up to this power of two; for 1 none has any. Not for shared
  // objects.
  size_t max_alignment = size_t{1} << 17;
  // Of kConstraintFeatures: what the program plans besides. With any, every
  // other trace is a problem of these alone, in the form of problem_file.h, and
  // the plan names the `chosen_pool` of each record if there are pools, or is a
  // problem file with a plan. Not for shared objects.
  FeatureSet claims;
  // Checks all properties on all traces. By default the check ends with the
  // first failure.
  bool keep_going = false;
  size_t jobs = 1;           // runs of the program side by side
  size_t max_shrinks = 500;  // attempts to find a smaller trace
  // A run that takes longer has failed. Shrinking takes ten times this at most.
  absl::Duration run_time_limit = absl::Seconds(10);
  // The check ends then, with what it has found so far.
  absl::Duration time_limit = absl::InfiniteDuration();
  // Ends the check, with what it has found so far. Not owned; may be null.
  const std::atomic<bool>* cancelled = nullptr;
  // Called before each trace, and with `traces` before shrinking, in order and
  // by the thread of the check; may be null.
  std::function<void(size_t trace)> on_trace;
};

// What the check has found of one property.
struct PropertyResult {
  std::string name;
  std::string sentence;  // what should hold
  size_t traces = 0;     // on which there was a plan, and it held
  absl::Status status;   // why it failed first
};

struct PlannerFailure {
  // Index of the first property that failed, in the order of the report: those
  // of a plan itself come before those of plans of changed traces.
  size_t property = 0;
  Family family = Family::kChains;  // of generated traces but problems
  size_t trace = 0;                 // its number, from 0
  Instance found;                   // as generated
  Instance smallest;                // on which the property still fails
  // What the program was asked last when it failed there: `smallest`, or what
  // the property makes of it. On this it fails by itself.
  Instance asked;
  absl::Status status;  // what is wrong there
};

struct PlannerCheckReport {
  enum class End {
    kComplete,   // all traces were tried
    kFailure,    // the first failure ended the check
    kTimeLimit,  // time_limit
    kCancelled,
  };

  // `ends`: the program ends by itself, in time, and prints little. `output`:
  // it leaves a plan file that can be read. After a failure of these two
  // nothing else is checked. Then the properties of properties.h, but for
  // `bounds`, since a plan file has no total, and with claims those of
  // problem_properties.h.
  std::vector<PropertyResult> properties;
  size_t traces = 0;  // tried
  size_t runs = 0;    // of the program
  End end = End::kComplete;
  absl::optional<PlannerFailure> failure;
};

class PlannerCheck {
 public:
  // `command` is split into words as shells do it, with quotes and backslashes,
  // but no shell reads it. Starts nothing. Error: InvalidArgument if it has no
  // {in} or {out}, or cannot be split.
  static absl::StatusOr<std::unique_ptr<PlannerCheck>> Create(
      absl::string_view command, PlannerCheckOptions options);
  ~PlannerCheck();
  PlannerCheck(const PlannerCheck&) = delete;
  PlannerCheck& operator=(const PlannerCheck&) = delete;

  // Checks the properties on `traces` generated traces, and shrinks the trace
  // of a failure. A program that plans none of the traces fails `completeness`,
  // if one has a plan. If the first run leaves no plan file that can be read
  // the check ends there. The report is the same for the same options, whatever
  // `jobs` is, as far as the program is deterministic and no limit of time is
  // met. Error: that of the system, if the program cannot be started or its
  // files not be written or read.
  absl::StatusOr<PlannerCheckReport> CheckGeneratedTraces();

  // Checks the properties on this trace alone, which may be the `asked` of an
  // earlier failure, and does not shrink it. Error: InvalidArgument if its
  // records or alignments are, or if it requires what is not claimed; those of
  // above.
  absl::StatusOr<PlannerCheckReport> CheckTrace(const Instance& trace);

  // Kills the program, starts it no more, and removes its files. For another
  // thread, before the process ends at once.
  void Abort();

 private:
  class Impl;
  explicit PlannerCheck(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_CHECK_PLANNER_H_
