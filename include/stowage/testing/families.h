// SPDX-License-Identifier: Apache-2.0
// Defines families of usage records. Each family provokes one kind of bug in
// planners. For the records of a real model, use ReadModelTrace
// (stowage/tflite/model_trace.h).
//
// Random intervals alone find few bugs: planners fail on ties, on tensors that
// touch at one task, on sizes of zero, on unexpected task numbers. A family
// maps a list of samples to records. A Sample consists of a few small numbers.
// random_records.h generates samples from a seed, generators.h generates them
// with RapidCheck, and a fuzzer can take them from its bytes. All samples give
// valid records. Samples of smaller numbers give simpler records, and the same
// samples give the same records everywhere.
//
// docs/test-your-planner.md lists the families in a table.
#ifndef STOWAGE_TESTING_FAMILIES_H_
#define STOWAGE_TESTING_FAMILIES_H_

#include <cstddef>
#include <cstdint>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// The families, in the order of AllFamilies, which describes each of them.
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
  // Hard instances. Without alignments, OffsetsLowerBound (profile.h) is the
  // size of their smallest arena.
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
  string_view name;      // has lower case and '_', as in "chains"
  string_view sentence;  // says what the records are, and what fails on them
  bool in_execution_order = true;  // says whether records ascend by first task
  // True if IsPlannable returns true for every instance of up to 10,000
  // samples. If false, a planner may refuse some instances of the family.
  bool is_plannable = true;
};

// Returns every family.
Span<const FamilyInfo> AllFamilies();

const FamilyInfo& InfoOf(Family family);

// Returns the family with this name. Error: NotFound, listing all names, if
// there is none.
StatusOr<Family> FindFamily(string_view name);

// The parameters of families: ranges of sizes, tasks and alignments. Some
// families define their own numbers and ignore the parameters. Most families
// under "Sizes", "Intervals" and "Hard instances" above do so.
struct Parameters {
  // The maximum bytes of a tensor, from 1 to 2^40.
  size_t max_size = size_t{1} << 20;
  // The largest number of tasks from the first task of a record to the first
  // task of the next record.
  TaskId max_gap = 2;
  // The largest number of tasks from the first task of a record to its last
  // task.
  TaskId max_life = 6;
  // Replaces max_life for tensors that are live for long.
  TaskId long_life = 100;
  // If this is above 1, every record has its own alignment, a power of two up
  // to this number. kTightPackings ignores this parameter, because the optimum
  // of a tight packing is known only for alignment 1.
  size_t max_alignment = 1;  // is in bytes, and is a power of two up to 2^32
};

// The numbers that determine one record, or one block of a network.
struct Sample {
  uint64_t size = 0;
  uint64_t gap = 0;
  uint64_t life = 0;
  uint64_t kind = 0;
  uint64_t alignment = 0;
};

// Returns the exclusive limits of the numbers of a sample. Each limit is at
// least 1. A number at or above its limit is used modulo the limit.
Sample SampleLimits(Family family, const Parameters& parameters = Parameters());

// Returns the instance that the samples determine. The instance is empty if
// there are no samples. O(s log s) for s samples, and O(s) records.
ProblemSpec FromSamples(Family family, Span<const Sample> samples,
                        const Parameters& parameters = Parameters());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FAMILIES_H_
