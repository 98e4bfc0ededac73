// SPDX-License-Identifier: Apache-2.0
// Generates small problems with constraints from a seed. The problems are the
// same on every compiler and machine. For records without constraints, use
// random_records.h; with RapidCheck, use generators.h.
//
//   ProblemParameters parameters;
//   parameters.features = {Feature::kGroups, Feature::kPools};
//   const ProblemSpec spec = RandomProblem(seed, 8, parameters);
//   const auto problem = Problem::Create(spec);  // always OK
//
// Each problem is constructed from a plan, which is its witness. Every problem
// therefore has a plan, and its constraints do not contradict each other.
#ifndef STOWAGE_TESTING_RANDOM_PROBLEMS_H_
#define STOWAGE_TESTING_RANDOM_PROBLEMS_H_

#include <cstddef>
#include <cstdint>

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"

namespace stowage::testing {

// The constraint features that problems of RandomProblem can have.
inline constexpr FeatureSet kConstraintFeatures = {
    Feature::kFixedOffsets, Feature::kPlaces, Feature::kGroups,
    Feature::kApart,        Feature::kPools,  Feature::kPartialOrder};

// The constraints that a generated problem may have.
struct ProblemParameters {
  // A subset of kConstraintFeatures. Problems have no other features.
  FeatureSet features = kConstraintFeatures;
  // Permissions and preferences, which a planner may ignore: pairs that are
  // never live together, pairs that are preferably apart, and pairs that either
  // share one place or are apart.
  bool has_never = false;
  bool has_prefer_apart = false;
  bool has_same_or_apart = false;
  // A search for failures (find_failure.h) sets these two members itself.
  //
  // All numbers of bytes are multiplied by `scale`, but not alignments. It must
  // be at most 2^46, with at most 32 records. Finds planners that compute with
  // fewer than 64 bits.
  size_t scale = 1;
  // If true, some holes apply at all tasks, some groups begin below their
  // lowest record, and every pool may have a capacity.
  bool has_rare_forms = false;
};

// Returns the exclusive limit of each number of a sample.
Sample ProblemSampleLimits();

// Returns the problem that the samples determine, with one record for each
// sample. Samples with small numbers give few constraints. If `witness` is not
// null, sets *witness to the plan from which the problem is constructed. O(s^3)
// for s samples.
ProblemSpec ProblemFromSamples(
    Span<const Sample> samples,
    const ProblemParameters& parameters = ProblemParameters(),
    OffsetsAssignment* witness = nullptr);

// Returns the problem that ProblemFromSamples makes from `size` random samples.
ProblemSpec RandomProblem(
    uint64_t seed, size_t size,
    const ProblemParameters& parameters = ProblemParameters(),
    OffsetsAssignment* witness = nullptr);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_RANDOM_PROBLEMS_H_
