// SPDX-License-Identifier: Apache-2.0
#include "src/c/numbers.h"

#include <cstdint>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/bound_proof.h"
#include "stowage/c/error.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"
#include "stowage/c/verify.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage::c_api {
namespace {

// Returns whether a number of the C interface equals the value of an
// enumerator.
template <typename Enum>
constexpr bool Is(uint32_t number, Enum enumerator) {
  return number == static_cast<uint32_t>(enumerator);
}

using Proof = BoundProof::Kind;
static_assert(Is(STOWAGE_OFFSETS, PlanKind::kOffsets) &&
              Is(STOWAGE_OBJECTS, PlanKind::kObjects));
static_assert(Is(STOWAGE_OPTIMAL, SolutionStatus::kOptimal) &&
              Is(STOWAGE_FEASIBLE, SolutionStatus::kFeasible) &&
              Is(STOWAGE_OVER_CAPACITY, SolutionStatus::kOverCapacity) &&
              Is(STOWAGE_INFEASIBLE, SolutionStatus::kInfeasible) &&
              Is(STOWAGE_TIME_LIMIT, SolutionStatus::kTimeLimit));
static_assert(Is(STOWAGE_FEATURE_OFFSETS, Feature::kOffsets) &&
              Is(STOWAGE_FEATURE_OBJECTS, Feature::kObjects) &&
              Is(STOWAGE_FEATURE_REALLOCATION_GRAPH,
                 Feature::kReallocationGraph) &&
              Is(STOWAGE_FEATURE_FIXED_OFFSETS, Feature::kFixedOffsets) &&
              Is(STOWAGE_FEATURE_PLACES, Feature::kPlaces) &&
              Is(STOWAGE_FEATURE_GROUPS, Feature::kGroups) &&
              Is(STOWAGE_FEATURE_APART, Feature::kApart) &&
              Is(STOWAGE_FEATURE_POOLS, Feature::kPools) &&
              Is(STOWAGE_FEATURE_PARTIAL_ORDER, Feature::kPartialOrder));
static_assert(
    Is(STOWAGE_PROOF_NONE, Proof::kNone) &&
    Is(STOWAGE_PROOF_NO_BYTES, Proof::kNoBytes) &&
    Is(STOWAGE_PROOF_BYTES_LIVE, Proof::kBytesLive) &&
    Is(STOWAGE_PROOF_BYTES_HELD, Proof::kBytesHeld) &&
    Is(STOWAGE_PROOF_BYTES_LIVE_AROUND_HOLES, Proof::kBytesLiveAroundHoles) &&
    Is(STOWAGE_PROOF_BYTES_HELD_AROUND_HOLES, Proof::kBytesHeldAroundHoles) &&
    Is(STOWAGE_PROOF_POSITIONAL_MAXIMUMS, Proof::kPositionalMaximums) &&
    Is(STOWAGE_PROOF_LARGEST_RECORD, Proof::kLargestRecord) &&
    Is(STOWAGE_PROOF_FIXED_END, Proof::kFixedEnd) &&
    Is(STOWAGE_PROOF_ONLY_PLACE, Proof::kOnlyPlace) &&
    Is(STOWAGE_PROOF_LOWEST_PLACE, Proof::kLowestPlace) &&
    Is(STOWAGE_PROOF_ROOM_AROUND_FIXED, Proof::kRoomAroundFixed) &&
    Is(STOWAGE_PROOF_APART_SET, Proof::kApartSet) &&
    Is(STOWAGE_PROOF_ANTICHAIN, Proof::kAntichain) &&
    Is(STOWAGE_PROOF_POOLS, Proof::kPools) &&
    Is(STOWAGE_PROOF_POOLS_OF_COST, Proof::kPoolsOfCost) &&
    Is(STOWAGE_PROOF_CHAIN_WEIGHTS, Proof::kChainWeights) &&
    Is(STOWAGE_PROOF_SEARCH, Proof::kSearch) &&
    Is(STOWAGE_PROOF_ANY_ORDER, Proof::kAnyOrder) &&
    Is(STOWAGE_PROOF_ALL_ORDERS, Proof::kAllOrders) &&
    Is(STOWAGE_PROOF_COST_OF_SMALLER, Proof::kCostOfSmaller) &&
    Is(STOWAGE_PROOF_ALL_CHOICES, Proof::kAllChoices));

using Code = StatusCode;
static_assert(Is(STOWAGE_OK, Code::kOk) &&
              Is(STOWAGE_CANCELLED, Code::kCancelled) &&
              Is(STOWAGE_UNKNOWN, Code::kUnknown) &&
              Is(STOWAGE_INVALID_ARGUMENT, Code::kInvalidArgument) &&
              Is(STOWAGE_DEADLINE_EXCEEDED, Code::kDeadlineExceeded) &&
              Is(STOWAGE_NOT_FOUND, Code::kNotFound) &&
              Is(STOWAGE_ALREADY_EXISTS, Code::kAlreadyExists) &&
              Is(STOWAGE_PERMISSION_DENIED, Code::kPermissionDenied) &&
              Is(STOWAGE_RESOURCE_EXHAUSTED, Code::kResourceExhausted) &&
              Is(STOWAGE_FAILED_PRECONDITION, Code::kFailedPrecondition) &&
              Is(STOWAGE_ABORTED, Code::kAborted) &&
              Is(STOWAGE_OUT_OF_RANGE, Code::kOutOfRange) &&
              Is(STOWAGE_UNIMPLEMENTED, Code::kUnimplemented) &&
              Is(STOWAGE_INTERNAL, Code::kInternal) &&
              Is(STOWAGE_UNAVAILABLE, Code::kUnavailable) &&
              Is(STOWAGE_DATA_LOSS, Code::kDataLoss) &&
              Is(STOWAGE_UNAUTHENTICATED, Code::kUnauthenticated));

static_assert(kNoGroup == STOWAGE_NO_GROUP);

// In C, the number of a kind of violation is higher by one, since 0 means that
// there is no violation.
using Wrong = Violation::Kind;
constexpr bool IsNext(uint32_t number, Wrong kind) {
  return Is(number - 1, kind);
}
static_assert(IsNext(STOWAGE_INVALID_RECORD, Wrong::kInvalidRecord) &&
              IsNext(STOWAGE_INVALID_ALIGNMENT, Wrong::kInvalidAlignment) &&
              IsNext(STOWAGE_COUNT_MISMATCH, Wrong::kCountMismatch) &&
              IsNext(STOWAGE_UNKNOWN_OBJECT, Wrong::kUnknownObject) &&
              IsNext(STOWAGE_OBJECT_TOO_SMALL, Wrong::kObjectTooSmall) &&
              IsNext(STOWAGE_MISALIGNED, Wrong::kMisaligned) &&
              IsNext(STOWAGE_BEYOND_ARENA, Wrong::kBeyondArena) &&
              IsNext(STOWAGE_OVERLAPPING_BYTES, Wrong::kOverlappingBytes) &&
              IsNext(STOWAGE_SHARED_OBJECT, Wrong::kSharedObject) &&
              IsNext(STOWAGE_NOT_AT_FIXED_OFFSET, Wrong::kNotAtFixedOffset) &&
              IsNext(STOWAGE_OUTSIDE_RANGE, Wrong::kOutsideRange) &&
              IsNext(STOWAGE_GROUP_BROKEN, Wrong::kGroupBroken) &&
              IsNext(STOWAGE_IN_HOLE, Wrong::kInHole) &&
              IsNext(STOWAGE_NOT_APART, Wrong::kNotApart) &&
              IsNext(STOWAGE_WRONG_POOL, Wrong::kWrongPool) &&
              IsNext(STOWAGE_BEYOND_POOL, Wrong::kBeyondPool) &&
              IsNext(STOWAGE_BEYOND_CAPACITY, Wrong::kBeyondCapacity) &&
              IsNext(STOWAGE_UNORDERED_SHARING, Wrong::kUnorderedSharing) &&
              IsNext(STOWAGE_SHARED_IN_PART, Wrong::kSharedInPart));

}  // namespace

uint32_t KindInC(PlanKind kind) { return static_cast<uint32_t>(kind); }

uint32_t ProofInC(const BoundProof& proof) {
  return static_cast<uint32_t>(proof.kind);
}

stowage_place PlaceInC(const RecordPlace& place) {
  stowage_place out = {};
  out.min = place.min;
  out.max = place.max.value_or(STOWAGE_NONE);
  out.at = place.at;
  out.group = place.group;
  return out;
}

uint64_t BitsOf(FeatureSet features) {
  uint64_t bits = 0;
  for (const Feature feature : kAllFeatures) {
    if (features.Has(feature)) bits |= uint64_t{1} << static_cast<int>(feature);
  }
  return bits;
}

StatusOr<FeatureSet> FeaturesOfBits(uint64_t bits) {
  FeatureSet features;
  for (const Feature feature : kAllFeatures) {
    if ((bits >> static_cast<int>(feature) & 1) != 0) features.Add(feature);
  }
  if (BitsOf(features) == bits) return features;
  return InvalidArgumentError(StrCat(
      "features: ", bits, "; expected bits 1 << STOWAGE_FEATURE_ alone"));
}

}  // namespace stowage::c_api
