// SPDX-License-Identifier: Apache-2.0
// Converts the enumerations of the library to the numbers of the C interface.
#ifndef STOWAGE_SRC_C_NUMBERS_H_
#define STOWAGE_SRC_C_NUMBERS_H_

#include <cstdint>

#include "stowage/base/statusor.h"
#include "stowage/bound_proof.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"

namespace stowage::c_api {

uint32_t KindInC(PlanKind kind);
uint32_t ProofInC(const BoundProof& proof);
stowage_place PlaceInC(const RecordPlace& place);

// Returns features as bits: 1 << STOWAGE_FEATURE_...
uint64_t BitsOf(FeatureSet features);
// Returns the features that the bits represent. Error: InvalidArgument if a bit
// represents no feature.
StatusOr<FeatureSet> FeaturesOfBits(uint64_t bits);

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_NUMBERS_H_
