// SPDX-License-Identifier: Apache-2.0
// Adds the fields of an answer that state the cost of a plan, and which pairs
// of records pay for sharing bytes.
#ifndef STOWAGE_SRC_COMMAND_COST_FIELDS_H_
#define STOWAGE_SRC_COMMAND_COST_FIELDS_H_

#include <string>

#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {

// Returns the JSON of a pair of records that pays for sharing bytes: the
// indices and the names of the records, and the cost of the pair.
Json PairJson(absl::Span<const std::string> names, const ApartPreference& pair);

// Returns the names of the two records of a pair, for people.
Value PairValue(absl::Span<const std::string> names,
                const ApartPreference& pair);

// Adds the cost of the plan, the cost bound, and the pairs that pay for sharing
// bytes. Requires a problem whose plans have a cost (HasCost of pools.h).
void AddCostOf(const Problem& problem, const Solution& solution,
               Answer* answer);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COST_FIELDS_H_
