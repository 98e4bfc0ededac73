// SPDX-License-Identifier: Apache-2.0
// Turns networks with parameters into problems with parameters.
//
//   const NamedNetwork* named = FindDynamicNetwork("bert_sequence");
//   absl::StatusOr<DynamicSpec> spec = DynamicSpecOf(*named);
//
// The lifetimes are those of the model that the network becomes when all
// parameters have given values. They must not depend on these values; tests
// compare them, and the sizes, with models for other values.
#ifndef STOWAGE_DATA_NETWORKS_DYNAMIC_H_
#define STOWAGE_DATA_NETWORKS_DYNAMIC_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "data/networks/networks.h"
#include "stowage/dynamic/dynamic_problem.h"

namespace stowage::networks {

// Returns the problem, whose records have the sizes that the model has at these
// values, and at the largest value for a parameter that is not among them.
// Errors: those of Network::Serialize and ParseModelTrace; Internal if an
// expression disagrees with the model.
absl::StatusOr<DynamicSpec> DynamicSpecOf(
    const NamedNetwork& named, std::map<std::string, int64_t> values = {});

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_DYNAMIC_H_
