// SPDX-License-Identifier: Apache-2.0
// Families of usage records, each of which provokes one kind of bug in
// planners. For the records of a real model use ReadTrace
// (stowage/tflite/model_trace.h).
//
// Random intervals alone find few bugs: planners break on ties, on tensors that
// touch at one task, on sizes of zero, on unexpected task numbers. A family
// maps a list of small numbers, the draws, to records: random_records.h
// generates them from a seed, generators.h by RapidCheck, and a fuzzer can take
// them from its bytes. Whatever the draws are the records are valid, smaller
// draws give simpler records, and the same draws give the same records
// everywhere.
//
// docs/test-your-planner.md has the families as a table.
#ifndef STOWAGE_TESTING_FAMILIES_H_
#define STOWAGE_TESTING_FAMILIES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// In the order of AllFamilies, which says what each is.
enum class Family {
  // Graphs as in real models.
  kChains,
  kBranches,
  kResidual,
  kDense,
  kUNets,
  kRecurrent,
  kNetworks,
  kLongLived,
  // Sizes.
  kEqualSizes,
  kPowersOfTwo,
  kNearlyEqualSizes,
  kFewSizes,
  kZeroSizes,
  kHugeSizes,
  kEdgeSizes,
  kDoublePrecision,
  kOverflowingSizes,
  kAlignmentTraps,
  // Intervals.
  kIdenticalIntervals,
  kTouchingIntervals,
  kOnePerTask,
  kFarTasks,
  kUnsorted,
  kPermuted,
  // Instances that are hard.
  kTightPackings,
  kWorstOfNaive,
  kWorstOfEquality,
  kWorstOfGreedyInOrder,
  kWorstOfGreedyByBreadth,
  kWorstOfGreedyBySize,
  kWorstOfGreedyBest,
  kWorstOfMinCostFlow,
};

struct FamilyInfo {
  Family family = Family::kChains;
  absl::string_view name;          // "chains": lower case and '_'
  absl::string_view sentence;      // what it is, and what it breaks
  bool in_execution_order = true;  // records ascend by first task
  // Whether every instance of up to 10,000 draws IsPlannable; if not, a planner
  // may refuse it.
  bool is_plannable = true;
};

// Every family.
absl::Span<const FamilyInfo> AllFamilies();

const FamilyInfo& InfoOf(Family family);

// The family of that name. Error: NotFound, listing the names there are.
absl::StatusOr<Family> FindFamily(absl::string_view name);

// The ranges of sizes, tasks and alignments. A family that is defined by other
// numbers, as most of the last three groups are, ignores these.
struct Knobs {
  size_t max_size = size_t{1} << 20;  // bytes of a tensor: 1 to 2^40
  TaskId max_gap = 2;      // tasks from one record's first task to the next's
  TaskId max_life = 6;     // tasks of a tensor after its first
  TaskId long_life = 100;  // the same for long-lived tensors
  // Above 1 every record has an alignment of its own, a power of two up to
  // this; but not in kTightPackings, whose optimum is that of alignment 1.
  size_t max_alignment = 1;  // bytes, a power of two up to 2^32
};

// The numbers that become one record, or one block of a network.
struct Draw {
  uint64_t size = 0;
  uint64_t gap = 0;
  uint64_t life = 0;
  uint64_t kind = 0;
  uint64_t alignment = 0;
};

// What each number of a draw should stay below, all at least 1. Numbers that
// do not are taken modulo.
Draw DrawLimits(Family family, const Knobs& knobs = Knobs());

// The instance that the draws stand for; none without draws. O(d log d) for d
// draws, and O(d) records.
Instance FromDraws(Family family, absl::Span<const Draw> draws,
                   const Knobs& knobs = Knobs());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FAMILIES_H_
