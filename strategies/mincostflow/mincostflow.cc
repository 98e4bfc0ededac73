// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/mincostflow.h"

#include <cstddef>
#include <memory>

#include "mincostflow/antichain.h"
#include "mincostflow/decode.h"
#include "mincostflow/network.h"
#include "mincostflow/optimal_flow.h"
#include "src/base/antichain.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"

namespace stowage::mincostflow {
namespace {

class MinCostFlow final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "mincostflow";
      strategy->summary =
          "reuse chosen by a minimum-cost flow over all records";
      strategy->complexity = "a network simplex over O(n) arcs, a few times";
      strategy->source = "TensorFlow Lite's GPU delegate; LEMON";
      strategy->features = {Feature::kOffsets, Feature::kObjects};
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
    const Network network = BuildNetwork(problem.records());
    const StatusOr<OptimalFlow> flow = FindOptimalFlow(network);
    if (!flow.ok()) return flow.status();
    return SolutionOfObjects(problem,
                             DecodeFlow(problem.records(), network, *flow));
  }
};

// Registers the solver in this file, because every program that links the
// library links this file.
const LinkedAntichainSolver kLinkedAntichainSolver(&FindAntichainByFlow);

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<MinCostFlow>();
}

}  // namespace stowage::mincostflow
