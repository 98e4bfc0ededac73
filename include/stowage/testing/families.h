// SPDX-License-Identifier: Apache-2.0
// Defines families of usage records. Each family provokes one kind of bug in
// planners. For the records of a real model, use ReadModelTrace
// (stowage/tflite/model_trace.h).
//
// Random intervals alone find few bugs, because planners fail on ties, on
// tensors that touch at one task, on sizes of zero, and on unexpected task
// numbers. A family maps a list of samples to records. A Sample consists of a
// few small numbers. random_records.h generates samples from a seed,
// generators.h generates samples with RapidCheck, and a fuzzer can read samples
// from its input. All samples give valid records. Samples with smaller numbers
// give simpler records, and the same samples give the same records on every
// machine.
//
// For a table of the families, see docs/test-your-planner.md.
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

// The families, in the order of AllFamilies, which has a description of each.
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
  // Hard instances. If they have no alignments, their smallest arena has
  // exactly OffsetsLowerBound (profile.h) bytes.
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
  // samples. If false, a planner may refuse some instances.
  bool is_plannable = true;
};

// Returns every family.
Span<const FamilyInfo> AllFamilies();

const FamilyInfo& InfoOf(Family family);

// Returns the family with this name. Error: NotFound, listing all names, if
// there is no such family.
StatusOr<Family> FindFamily(string_view name);

// The parameters of families: ranges of sizes, tasks and alignments. Some
// families use their own numbers and ignore the parameters; among them are most
// families under "Sizes", "Intervals" and "Hard instances" above.
struct Parameters {
  // The maximum size of a tensor in bytes, from 1 to 2^40.
  size_t max_size = size_t{1} << 20;
  // The maximum number of tasks from the first task of a record to the first
  // task of the next record.
  TaskId max_gap = 2;
  // The maximum number of tasks from the first task of a record to its last
  // task.
  TaskId max_life = 6;
  // Replaces max_life for long-lived tensors.
  TaskId long_life = 100;
  // If above 1, every record has its own alignment, a power of two up to this
  // number. kTightPackings ignores this parameter, because the optimum of a
  // tight packing is known only for alignment 1.
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

// Returns the exclusive limits of the numbers of a sample, each at least 1. A
// number at or above its limit is reduced modulo the limit.
Sample SampleLimits(Family family, const Parameters& parameters = Parameters());

// Returns the instance that the samples determine. Without samples, the
// instance is empty. O(s log s) time and O(s) records for s samples.
ProblemSpec FromSamples(Family family, Span<const Sample> samples,
                        const Parameters& parameters = Parameters());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_FAMILIES_H_
