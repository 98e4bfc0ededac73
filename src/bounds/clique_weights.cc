// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/clique_weights.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "src/bounds/clique_search.h"
#include "stowage/base/span.h"

namespace stowage::reuse {
namespace {

constexpr uint64_t kFullPart = uint64_t{1} << 20;
// Every pair begins with the length kFirstLength. Solve stops when the length
// of any clique reaches kLastLength.
constexpr uint64_t kFirstLength = uint64_t{1} << 18;
constexpr uint64_t kLastLength = uint64_t{1} << 40;
// The maximum weight. It keeps products within 128 bits.
constexpr uint64_t kMaxStep = uint64_t{1} << 62;

}  // namespace

CliqueWeights::CliqueWeights(Span<const uint64_t> costs, uint64_t scale) {
  for (const uint64_t cost : costs) costs_.push_back(cost * scale);
}

void CliqueWeights::Add(CostlyClique clique) {
  rows_.push_back(RowOf(clique));
  cliques_.push_back(std::move(clique));
}

CliqueWeights::Row CliqueWeights::RowOf(const CostlyClique& clique) const {
  // Returns the weight at which the load of the clique alone equals the whole
  // cost of the pair.
  const auto most_of = [&](const CostlyClique::Share& share) {
    const uint128 most =
        uint128(costs_[share.pair]) * clique.overlap / share.bytes;
    return most < uint128(kMaxStep) ? static_cast<uint64_t>(most) : kMaxStep;
  };
  Row row;
  row.step = kMaxStep;
  for (const CostlyClique::Share& share : clique.shares) {
    row.step = std::min(row.step, most_of(share));
  }
  for (const CostlyClique::Share& share : clique.shares) {
    const uint128 part = uint128(row.step) * kFullPart / most_of(share);
    row.entries.push_back(
        {share.pair, std::max<uint32_t>(1, static_cast<uint32_t>(part))});
  }
  return row;
}

uint64_t CliqueWeights::LengthOf(const Row& row) const {
  uint64_t length = 0;
  for (const Entry& entry : row.entries) {
    length += lengths_[entry.pair] * entry.part >> 20;
  }
  return length;
}

// Makes one step of a clique. For each pair of the clique, the step uses a
// fraction of the cost of the pair, and multiplies the length of the pair by 1
// + fraction / `accuracy`.
void CliqueWeights::Push(uint64_t accuracy, Row* row) {
  ++row->steps;
  uint64_t length = 0;
  for (const Entry& entry : row->entries) {
    uint64_t& of_pair = lengths_[entry.pair];
    of_pair += (of_pair * entry.part >> 20) / accuracy;
    length += of_pair * entry.part >> 20;
  }
  row->length = length;
}

// Runs phases. In each phase, every clique makes steps until its length per
// unit of weight reaches a threshold, which rises from phase to phase. Returns
// false if `work` ends first.
bool CliqueWeights::RunPhases(uint64_t accuracy, WorkLimit* work) {
  uint64_t longest_step = 1;
  for (const Row& row : rows_) longest_step = std::max(longest_step, row.step);
  // 40 bits of each step are precise enough to compare lengths.
  uint64_t divisor = 1;
  while (longest_step / divisor >> 40 > 0) divisor *= 2;
  const auto step_of = [&](const Row& row) {
    return std::max<uint64_t>(1, row.step / divisor);
  };
  constexpr uint128 kMaxThreshold = uint128(1) << 87;
  uint128 threshold = kMaxThreshold;  // times 2^40
  for (Row& row : rows_) {
    row.length = LengthOf(row);
    threshold = std::min(threshold, (uint128(row.length) << 40) / step_of(row));
  }
  for (;;) {
    threshold += threshold / accuracy + 1;
    if (threshold > kMaxThreshold) return true;
    for (Row& row : rows_) {
      if (!work->Spend(row.entries.size())) return false;
      const uint128 limit = threshold * step_of(row) >> 40;
      if (uint128(row.length) >= limit) continue;
      row.length = LengthOf(row);
      while (uint128(row.length) < limit) {
        if (!work->Spend(row.entries.size())) return false;
        Push(accuracy, &row);
        if (row.length >= kLastLength) return true;
      }
    }
  }
}

// Scales the lengths so that the shortest clique gets the length 1. The
// shortest clique is the one with the smallest length per unit of weight.
void CliqueWeights::SetPrices() {
  // The clique with the smallest length per unit of weight (length / step).
  const Row* shortest = &rows_.front();
  for (Row& row : rows_) {
    row.length = std::max<uint64_t>(1, LengthOf(row));
    if (uint128(row.length) * shortest->step <
        uint128(shortest->length) * row.step) {
      shortest = &row;
    }
  }
  for (size_t p = 0; p < costs_.size(); ++p) {
    prices_[p] = static_cast<uint32_t>(kFullPrice);
    if (costs_[p] == 0) continue;
    // The price is the length of the pair divided by its cost, times the step
    // of the shortest clique divided by the length of that clique.
    const uint128 per_cost =
        uint128(lengths_[p]) * kFullPrice * shortest->step / costs_[p];
    const uint128 price = per_cost / shortest->length;
    if (price >= uint128(kFullPrice)) continue;
    prices_[p] = std::max<uint32_t>(1, static_cast<uint32_t>(price));
  }
}

// Raises the weight of a clique by as much as the slack of its pairs allows,
// but by at most `most`.
void CliqueWeights::Raise(size_t number, uint64_t most,
                          std::vector<uint64_t>* slack) {
  const CostlyClique& clique = cliques_[number];
  const auto load_of = [&](uint64_t weight, uint64_t bytes) {
    return (uint128(weight) * bytes + (clique.overlap - 1)) / clique.overlap;
  };
  const uint64_t old = weights_[number];
  uint64_t weight = kMaxStep;
  for (const CostlyClique::Share& share : clique.shares) {
    // The part of the pair's cost that would remain if this clique put no load
    // on the pair. The old load was rounded up.
    const uint128 left = (*slack)[share.pair] + load_of(old, share.bytes);
    const uint128 limit = left * clique.overlap / share.bytes;
    if (limit < uint128(weight)) weight = static_cast<uint64_t>(limit);
  }
  if (weight <= old) return;
  weight = old + std::min(weight - old, most);
  for (const CostlyClique::Share& share : clique.shares) {
    (*slack)[share.pair] -= static_cast<uint64_t>(load_of(weight, share.bytes) -
                                                  load_of(old, share.bytes));
  }
  weights_[number] = weight;
}

// Sets the weight of each clique to the number of its steps, scaled so that no
// load exceeds a cost. Then raises each weight by as much as the slack allows.
void CliqueWeights::SetWeights() {
  std::vector<uint64_t> loads(costs_.size(), 0);
  for (const Row& row : rows_) {
    for (const Entry& entry : row.entries) {
      loads[entry.pair] += row.steps * entry.part;
    }
  }
  const uint64_t largest =
      std::max<uint64_t>(1, *std::max_element(loads.begin(), loads.end()));
  std::vector<uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return uint128(rows_[a].length) * rows_[b].step <
           uint128(rows_[b].length) * rows_[a].step;
  });
  std::vector<uint64_t> slack = costs_;
  for (const uint32_t r : order) {
    const uint128 weight =
        uint128(rows_[r].step) * rows_[r].steps * kFullPart / largest;
    Raise(r, static_cast<uint64_t>(weight), &slack);
  }
  for (const uint32_t r : order) Raise(r, kMaxStep, &slack);
}

bool CliqueWeights::Solve(uint64_t accuracy, WorkLimit* work) {
  weights_.assign(rows_.size(), 0);
  prices_.assign(costs_.size(), 1);
  lengths_.assign(costs_.size(), kFirstLength);
  for (Row& row : rows_) row.steps = 0;
  if (rows_.empty()) return true;
  const bool is_complete = RunPhases(accuracy, work);
  SetPrices();
  SetWeights();
  return is_complete;
}

void CliqueWeights::DropIdle() {
  const Row* shortest = &rows_.front();
  for (const Row& row : rows_) {
    if (uint128(row.length) * shortest->step <
        uint128(shortest->length) * row.step) {
      shortest = &row;
    }
  }
  const uint128 length = shortest->length;
  const uint64_t step = shortest->step;
  size_t kept = 0;
  for (size_t r = 0; r < rows_.size(); ++r) {
    const bool is_idle = weights_[r] == 0 && uint128(rows_[r].length) * step >
                                                 length * rows_[r].step / 2 * 3;
    if (is_idle) continue;
    if (kept < r) {
      rows_[kept] = std::move(rows_[r]);
      cliques_[kept] = std::move(cliques_[r]);
      weights_[kept] = weights_[r];
    }
    ++kept;
  }
  rows_.resize(kept);
  cliques_.resize(kept);
  weights_.resize(kept);
}

}  // namespace stowage::reuse
