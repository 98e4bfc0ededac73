// SPDX-License-Identifier: Apache-2.0
// Finds, by trial, models of one operator that serve as seeds for fuzzing. Use
// it only for operators that are in no model of seed_models.h, because those
// models are written by hand and are better.
#ifndef STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_
#define STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_

#include <string>

#include "absl/types/optional.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// Returns the bytes of a model in which the operator runs. Tries models with up
// to four inputs of one type, each of shape [2, 3] or a constant list, and with
// default options. Returns nothing if the operator runs in none of these
// models.
absl::optional<std::string> FindSeed(const OperatorRegistration& op);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_OPERATOR_SEEDS_H_
