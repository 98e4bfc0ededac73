// SPDX-License-Identifier: Apache-2.0
#include "src/command/cost_fields.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "src/command/tensor_cells.h"
#include "stowage/constraints.h"
#include "stowage/plan_cost.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {
namespace {

// The maximum number of pairs that people see. Programs get all pairs.
constexpr size_t kMaxPairs = 5;

// Returns the cost bound. If the cost is above the bound, people also read the
// difference.
Value BoundValue(const Solution& solution) {
  const uint64_t bound = solution.cost_bound;
  if (!solution.has_plan() || solution.cost <= bound) return bound;
  const uint64_t gap = solution.cost - bound;
  if (bound == 0) return {bound, Phrase(bound, ", ", gap, " below the cost")};
  return {bound, Phrase(bound, ", ", gap, " below the cost (",
                        Percent(gap, bound), " of the bound)")};
}

void AddPaidPairs(const Problem& problem, const Solution& solution,
                  Answer* answer) {
  const std::vector<ApartPreference> paid =
      PaidPairs(problem, *solution.offsets());
  Json pairs = Json::array();
  for (const ApartPreference& pair : paid) {
    pairs.push_back(PairJson(problem.names(), pair));
  }
  answer->Add(
      "pairs_paid", "pairs paid", std::move(pairs),
      Phrase(paid.size(), " of ", problem.constraints()->prefer_apart.size()));
  for (size_t k = 0; k < std::min(paid.size(), kMaxPairs); ++k) {
    answer->Say(
        "", Phrase(PairValue(problem.names(), paid[k]), ": ", paid[k].cost));
  }
  if (paid.size() <= kMaxPairs) return;
  answer->Say("", Phrase("and ", paid.size() - kMaxPairs, " more"));
}

}  // namespace

Json PairJson(absl::Span<const std::string> names,
              const ApartPreference& pair) {
  return {{"records", {pair.first, pair.second}},
          {"tensors", {names[pair.first], names[pair.second]}},
          {"cost", pair.cost}};
}

Value PairValue(absl::Span<const std::string> names,
                const ApartPreference& pair) {
  constexpr size_t kMaxName = 40;
  return Phrase(Name(names[pair.first], kMaxName), " and ",
                Name(names[pair.second], kMaxName));
}

void AddCostOf(const Problem& problem, const Solution& solution,
               Answer* answer) {
  answer->Add("cost", "cost",
              solution.has_plan() ? Value(solution.cost) : Nothing());
  const Value bound = BoundValue(solution);
  answer->Add("cost_bound", "cost bound", bound);
  const bool has_pairs = !problem.constraints()->prefer_apart.empty();
  if (has_pairs && solution.has_plan()) {
    AddPaidPairs(problem, solution, answer);
  }
}

}  // namespace stowage::cli
