// SPDX-License-Identifier: Apache-2.0
// Models of one operator for fuzzing to begin with, found by trial: for
// operators that are in none of the models of seed_models.h, which are better,
// being written by hand.
#ifndef STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_
#define STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_

#include <string>

#include "absl/types/optional.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// The bytes of a model in which the operator runs: with up to four inputs, each
// of shape [2, 3] or a constant list, all of one type, and default options.
// Nothing if it runs with none of these.
absl::optional<std::string> FindSeed(const OperatorRegistration& op);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_
