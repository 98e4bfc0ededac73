// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/reuse_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/bounds/clique_search.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"

namespace stowage {
namespace {

constexpr size_t kMaxCases = 64;
// The maximum work for the bound of one case.
constexpr uint64_t kWorkOfCase = uint64_t{1} << 20;

// A case, in which some of the pairs are decided: each of them either pays or
// is kept apart.
struct ReuseCase {
  uint64_t bound = 0;  // no plan of this case costs less
  std::vector<PairPrice> paying;
  std::vector<PairPrice> apart;
  std::vector<PairPrice> prices;  // of the pairs that are not decided
};

class ReuseTree {
 public:
  ReuseTree(const Problem& problem, uint64_t enough, const StopSignal* stop)
      : spec_(problem.ToSpec()), enough_(enough), stop_(stop) {}

  uint64_t Run(const ReuseBound& root) {
    ReuseCase first;
    first.bound = root.cost;
    first.prices = root.prices;
    open_.push_back(std::move(first));
    while (!open_.empty() && cases_ < kMaxCases && !IsStopped()) {
      const auto lowest =
          std::min_element(open_.begin(), open_.end(),
                           [](const ReuseCase& a, const ReuseCase& b) {
                             return a.bound < b.bound;
                           });
      const optional<size_t> pair = Undecided(*lowest);
      if (!pair) break;
      std::swap(*lowest, open_.back());
      const ReuseCase split = std::move(open_.back());
      open_.pop_back();
      if (!Split(split, *pair)) {
        open_.push_back(split);
        break;
      }
    }
    uint64_t bound = enough_;
    for (const ReuseCase& left : open_) bound = std::min(bound, left.bound);
    return bound;
  }

 private:
  bool IsStopped() const { return stop_ != nullptr && stop_->IsSet(); }

  // Returns the pair whose price is closest to one half, or nullopt if all
  // prices are 0 or 1. Such a pair is split because both of its cases differ
  // clearly from its current price.
  static optional<size_t> Undecided(const ReuseCase& split) {
    optional<size_t> best;
    uint64_t most = 0;
    for (size_t k = 0; k < split.prices.size(); ++k) {
      const uint64_t price = split.prices[k].price;
      const uint64_t distance = std::min(
          price, reuse::kFullPrice - std::min(price, reuse::kFullPrice));
      if (distance <= most) continue;
      most = distance;
      best = k;
    }
    return best;
  }

  // Adds the two cases of a pair, except for those that cannot cost less than
  // `enough_`. Returns false if a case could not be bounded.
  bool Split(const ReuseCase& split, size_t pair) {
    for (const bool pays : {false, true}) {
      ReuseCase next;
      next.bound = split.bound;
      next.paying = split.paying;
      next.apart = split.apart;
      (pays ? next.paying : next.apart).push_back(split.prices[pair]);
      ++cases_;
      const optional<bool> is_open = Bound(&next);
      if (!is_open) return false;
      if (*is_open) open_.push_back(std::move(next));
    }
    return true;
  }

  // Sets the bound and the prices of a case. Returns whether the case may cost
  // less than `enough_`, or nullopt if Problem::Create rejects the case.
  optional<bool> Bound(ReuseCase* next) const {
    ProblemSpec spec = spec_;
    Constraints& constraints = spec.constraints;
    uint64_t paid = 0;
    const auto is_decided = [&](const ApartPreference& wish) {
      const auto is_it = [&](const PairPrice& pair) {
        return std::minmax(pair.first, pair.second) ==
               std::minmax(static_cast<uint32_t>(wish.first),
                           static_cast<uint32_t>(wish.second));
      };
      if (std::any_of(next->paying.begin(), next->paying.end(), is_it)) {
        paid += wish.cost;
        return true;
      }
      return std::any_of(next->apart.begin(), next->apart.end(), is_it);
    };
    constraints.prefer_apart.erase(
        std::remove_if(constraints.prefer_apart.begin(),
                       constraints.prefer_apart.end(), is_decided),
        constraints.prefer_apart.end());
    for (const PairPrice& pair : next->apart) {
      constraints.apart.push_back({pair.first, pair.second});
    }
    const optional<size_t> capacity = spec.capacity;
    const StatusOr<Problem> problem = Problem::Create(std::move(spec));
    if (!problem.ok()) return nullopt;
    if (capacity && LowerBoundOf(*problem).bytes > *capacity) return false;
    uint64_t cost = 0;
    if (problem->constraints() != nullptr) {
      ReuseBound bound = BoundReuse(*problem, kWorkOfCase, stop_);
      cost = bound.cost;
      next->prices = std::move(bound.prices);
    }
    next->bound = std::max(next->bound, paid + cost);
    return next->bound < enough_;
  }

  const ProblemSpec spec_;
  const uint64_t enough_;
  const StopSignal* const stop_;
  std::vector<ReuseCase> open_;
  size_t cases_ = 0;
};

}  // namespace

uint64_t BoundReuseByCases(const Problem& problem, const ReuseBound& root,
                           uint64_t enough, const StopSignal* stop) {
  if (root.cost >= enough || problem.size() > kMaxRecordsOfCases) {
    return std::min(root.cost, enough);
  }
  return ReuseTree(problem, enough, stop).Run(root);
}

}  // namespace stowage
