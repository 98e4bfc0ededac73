// SPDX-License-Identifier: Apache-2.0
#include "src/base/antichain.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

// Initialized at compile time, so that static objects of libraries can set this
// variable in their constructors.
std::atomic<AntichainSolver> linked_solver{nullptr};

}  // namespace

LinkedAntichainSolver::LinkedAntichainSolver(AntichainSolver solver) {
  linked_solver.store(solver);
}

optional<std::vector<uint32_t>> FindHeaviestAntichain(
    Span<const int64_t> weights, Span<const std::vector<uint32_t>> followers) {
  const AntichainSolver solver = linked_solver.load();
  if (solver == nullptr) return nullopt;
  return solver(weights, followers);
}

}  // namespace stowage
