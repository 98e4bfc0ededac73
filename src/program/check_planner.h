// The safety kit pointed at a program: which properties hold of it on generated
// traces, and the smallest trace on which one does not.
//
// For a planner in this process, FindFailure (stowage/testing/find_failure.h)
// is simpler.
#ifndef STOWAGE_SRC_PROGRAM_CHECK_PLANNER_H_
#define STOWAGE_SRC_PROGRAM_CHECK_PLANNER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/program/program_planner.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"

namespace stowage::program {

struct CheckOptions {
  PlanKind kind = PlanKind::kOffsets;
  std::vector<testing::Family> families;  // all if empty; they take turns
  uint64_t seed = 1;
  size_t traces = 100;
  size_t max_records = 20;  // draws of a trace; the first traces have fewer
  // But one trace in 16 has up to 70 records, or this many, for tables that are
  // full at 64 or 256. 0 for none.
  size_t large_records = 300;
  // Above 1 every other trace of a family has alignments, half of them up to
  // 256 and half up to this power of two; for 1 none has any. Not for shared
  // objects.
  size_t max_alignment = size_t{1} << 17;
  size_t max_shrinks = 500;  // tries to find a smaller trace
  // Shrinking ends after this time even so.
  absl::Duration shrink_time = absl::InfiniteDuration();
  // Ends the check, with what is known so far. Not owned; may be null.
  const std::atomic<bool>* stop = nullptr;
  // Called before each trace, and with `traces` before shrinking; may be null.
  std::function<void(size_t trace)> begin;
};

// What came of one property.
struct PropertyVerdict {
  std::string name;
  std::string sentence;  // what should hold
  size_t traces = 0;     // on which there was a plan, and it held
  absl::Status status;   // why it failed
};

struct CheckFailure {
  // Index of the first verdict that failed: those that are about a plan itself
  // come before those that are about plans of changed traces.
  size_t verdict = 0;
  testing::Family family = testing::Family::kChains;
  size_t trace = 0;            // its number, from 0
  testing::Instance found;     // as drawn, or as the program was asked
  testing::Instance smallest;  // on which it still fails
  // What the program was asked last when it failed there: `smallest`, or what
  // the property makes of it. On this it fails by itself.
  testing::Instance asked;
  absl::Status status;  // what is wrong there
};

struct CheckReport {
  std::vector<PropertyVerdict> verdicts;
  size_t traces = 0;  // generated
  size_t runs = 0;    // of the program
  bool is_stopped = false;
  absl::optional<CheckFailure> failure;
};

// Checks `ends` (the program ends by itself, in time, and prints little) and
// all properties of its kind (stowage/testing/properties.h) on each trace, but
// for `bounds`, since a plan file has no total; one that has failed is not
// checked again, and once `ends` has nothing is. A program that has planned
// none of the traces fails `completeness`, if one has a plan. The same for the
// same options, as far as the program is. Error: that of the program,
// program->error().
absl::StatusOr<CheckReport> CheckProgram(ProgramPlanner* program,
                                         const CheckOptions& options);

}  // namespace stowage::program

#endif  // STOWAGE_SRC_PROGRAM_CHECK_PLANNER_H_
