// SPDX-License-Identifier: Apache-2.0
#include "src/command/pools.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage::cli {
namespace {

using Pools = std::vector<MemoryPool>;

Pools::iterator FindPool(Pools* pools, absl::string_view name) {
  return std::find_if(pools->begin(), pools->end(),
                      [&](const auto& pool) { return pool.name == name; });
}

absl::Status SetCapacities(const PoolArgs& args, const std::string& path,
                           ProblemSpec* problem) {
  if (args.cost) {
    return absl::InvalidArgumentError(
        absl::StrCat("--cost: ", InputName(path),
                     " says what its pools cost; expected no --cost"));
  }
  for (const MemoryPool& pool : args.pools) {
    const auto found = FindPool(&problem->constraints.pools, pool.name);
    if (found == problem->constraints.pools.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--pool: ", InputName(path), " has no pool '", pool.name,
                       "'; expected one of its pools"));
    }
    if (!pool.capacity) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--pool: pool '", pool.name, "' is in ", InputName(path),
          "; expected its capacity, as in ", pool.name, ":512KiB"));
    }
    found->capacity = pool.capacity;
  }
  return absl::OkStatus();
}

// Returns the cost of record `i` in the pool. The cost depends on the traffic
// of the record if `is_traffic` is true, and only on its size otherwise.
// Returns nullopt if the cost exceeds 2^64 - 1.
absl::optional<uint64_t> CostOf(const ProblemSpec& problem, size_t i,
                                bool is_traffic, size_t pool) {
  const absl::optional<size_t> bytes =
      CheckedMultiply(problem.records[i].tensor_size, pool);
  if (!bytes || !is_traffic) return bytes;
  return CheckedMultiply(*bytes, problem.labels.readers[i] + 1);
}

absl::Status AddChoices(const PoolArgs& args, const std::string& path,
                        ProblemSpec* problem) {
  const bool is_known =
      problem->labels.readers.size() == problem->records.size();
  const bool is_traffic =
      args.cost ? *args.cost == PoolArgs::Cost::kTraffic : is_known;
  if (is_traffic && !is_known) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--cost traffic: ", InputName(path),
        " does not say how many operators read each tensor; expected a model, "
        "or --cost bytes"));
  }
  problem->constraints.pools = args.pools;
  for (size_t i = 0; i < problem->records.size(); ++i) {
    auto& choices = problem->constraints.choices.emplace_back();
    for (size_t p = 0; p < args.pools.size(); ++p) {
      const absl::optional<uint64_t> cost = CostOf(*problem, i, is_traffic, p);
      if (!cost) {
        return absl::OutOfRangeError(
            absl::StrCat(InputName(path), ": id '", problem->names[i],
                         "': its cost in pool '", args.pools[p].name,
                         "' exceeds 2^64 - 1; expected less"));
      }
      choices.push_back({static_cast<uint32_t>(p), *cost});
    }
  }
  return absl::OkStatus();
}

// Parses a pool with a capacity, as in "sram:512KiB", or only a name for a pool
// without a capacity. Error: InvalidArgument.
absl::StatusOr<MemoryPool> ParsePool(absl::string_view text) {
  MemoryPool pool;
  const size_t colon = text.rfind(':');
  pool.name = std::string(text.substr(0, colon));
  if (pool.name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected a name, as in sram:512KiB"));
  }
  if (colon == absl::string_view::npos) return pool;
  const absl::StatusOr<size_t> capacity = ParseSize(text.substr(colon + 1));
  if (!capacity.ok()) return capacity.status();
  pool.capacity = *capacity;
  return pool;
}

}  // namespace

void AddPools(CLI::App* verb, PoolArgs* args) {
  AddRepeated(verb, "--pool", "NAME[:SIZE]",
              "A memory pool in which every tensor may lie, and its capacity; "
              "once for each pool, the fastest first. If the input has pools, "
              "sets the capacity of the one with this name",
              [args](const std::string& text) {
                absl::StatusOr<MemoryPool> pool = ParsePool(text);
                if (!pool.ok()) return pool.status();
                args->pools.push_back(*std::move(pool));
                return absl::OkStatus();
              });
  AddChoice(verb, "--cost",
            {{"bytes", PoolArgs::Cost::kBytes},
             {"traffic", PoolArgs::Cost::kTraffic}},
            "Cost of a tensor in the p-th --pool, counted from 0: p * size "
            "(bytes), or p * size * (1 + the number of operators that read it) "
            "(traffic; the default for models, else bytes)",
            &args->cost);
}

absl::Status CheckPools(const PoolArgs& args, absl::optional<size_t> capacity) {
  if (args.cost && args.pools.empty()) {
    return absl::InvalidArgumentError("--cost: no pools; expected --pool");
  }
  if (capacity && !args.pools.empty()) {
    return absl::InvalidArgumentError(
        "--capacity: pools have their own; expected --pool NAME:SIZE alone");
  }
  for (size_t p = 0; p < args.pools.size(); ++p) {
    for (size_t other = 0; other < p; ++other) {
      if (args.pools[p].name != args.pools[other].name) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--pool: '", args.pools[p].name,
                       "' is given twice; expected each pool once"));
    }
  }
  return absl::OkStatus();
}

absl::Status ApplyPools(const PoolArgs& args, const std::string& path,
                        ProblemSpec* problem) {
  if (args.pools.empty()) return absl::OkStatus();
  if (problem->labels.program != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--pool: ", InputName(path),
        " is a program, whose tensors lie in one arena; expected a "
        "problem without functions"));
  }
  return problem->constraints.pools.empty()
             ? AddChoices(args, path, problem)
             : SetCapacities(args, path, problem);
}

bool HasCost(const Problem& problem) {
  const Constraints* const constraints = problem.constraints();
  return constraints != nullptr &&
         (!constraints->pools.empty() || !constraints->prefer_apart.empty());
}

std::vector<std::string> PoolNames(const Problem& problem) {
  std::vector<std::string> names;
  if (problem.constraints() == nullptr) return names;
  for (const MemoryPool& pool : problem.constraints()->pools) {
    names.push_back(pool.name);
  }
  return names;
}

}  // namespace stowage::cli
