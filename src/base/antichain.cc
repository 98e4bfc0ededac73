// SPDX-License-Identifier: Apache-2.0
#include "src/base/antichain.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace stowage {
namespace {

// This variable is initialised before any constructor runs, so that static
// objects of libraries can set it.
std::atomic<AntichainSolver> linked_solver{nullptr};

}  // namespace

LinkedAntichainSolver::LinkedAntichainSolver(AntichainSolver solver) {
  linked_solver.store(solver);
}

absl::optional<std::vector<uint32_t>> FindHeaviestAntichain(
    absl::Span<const int64_t> weights,
    absl::Span<const std::vector<uint32_t>> followers) {
  const AntichainSolver solver = linked_solver.load();
  if (solver == nullptr) return absl::nullopt;
  return solver(weights, followers);
}

}  // namespace stowage
