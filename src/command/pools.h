// SPDX-License-Identifier: Apache-2.0
// Adds the options for memory pools, and provides helpers for reporting pools.
#ifndef STOWAGE_SRC_COMMAND_POOLS_H_
#define STOWAGE_SRC_COMMAND_POOLS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage::cli {

// The values of --pool and --cost.
struct PoolArgs {
  // How the cost of a record in pool p depends on the record. The index p
  // counts from 0.
  enum class Cost {
    // The cost is p * size.
    kBytes,
    // The cost is p * size * (1 + the number of operators that read the
    // record).
    kTraffic,
  };
  std::vector<MemoryPool> pools;  // the fastest pool comes first
  absl::optional<Cost> cost;
};

// Adds --pool and --cost.
void AddPools(CLI::App* verb, PoolArgs* args);

// Returns InvalidArgument if the same pool is given twice, if --cost is given
// without --pool, or if a capacity is given together with pools.
absl::Status CheckPools(const PoolArgs& args,
                        absl::optional<size_t> capacity = absl::nullopt);

// Adds the pools to a problem and lets every record use every pool. If the
// problem already has pools, only sets their capacities. `path` is the name of
// the input in messages. Errors: InvalidArgument if the problem is a program,
// or if costs depend on the traffic but the traffic is not known; OutOfRange if
// a cost exceeds 2^64 - 1. If the problem already has pools, also
// InvalidArgument if it lacks the given pool, if a capacity is missing, or if
// --cost is given.
absl::Status ApplyPools(const PoolArgs& args, const std::string& path,
                        ProblemSpec* problem);

// Returns whether the plans of a problem have a cost.
bool HasCost(const Problem& problem);

// Returns the names of the pools of a problem, or an empty list if it has no
// pools.
std::vector<std::string> PoolNames(const Problem& problem);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_POOLS_H_
