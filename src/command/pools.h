// SPDX-License-Identifier: Apache-2.0
// Pools on the command line, and in reports.
#ifndef STOWAGE_SRC_COMMAND_POOLS_H_
#define STOWAGE_SRC_COMMAND_POOLS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/trace.h"

namespace stowage::cli {

// --pool and --cost.
struct PoolArgs {
  // What a record costs in pool p, for p from 0.
  enum class Cost {
    kBytes,    // p * size
    kTraffic,  // p * size * (1 + operators that read it)
  };
  std::vector<MemoryPool> pools;  // the fastest first
  absl::optional<Cost> cost;
};

// "sram:512KiB", or a name alone: no capacity. Error: InvalidArgument.
absl::StatusOr<MemoryPool> ParsePool(absl::string_view text);

void AddPools(CLI::App* verb, PoolArgs* args);

// Error: InvalidArgument for a pool that is given twice, --cost without --pool,
// and a capacity beside pools.
absl::Status CheckPools(const PoolArgs& args,
                        absl::optional<size_t> capacity = absl::nullopt);

// Lets every record of a trace use every pool, or, if the trace has pools,
// gives these their capacities. `path` stands for the trace in messages. Error:
// InvalidArgument for a pool that the trace does not have, and costs that
// cannot be known; OutOfRange for one that passes 2^64 - 1.
absl::Status ApplyPools(const PoolArgs& args, const std::string& path,
                        Trace* trace);

// Returns whether plans of a problem have a cost.
bool HasCost(const Problem& problem);

// The names of the pools of a problem; empty if it has none.
std::vector<std::string> PoolNames(const Problem& problem);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_POOLS_H_
