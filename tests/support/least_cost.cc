// SPDX-License-Identifier: Apache-2.0
#include "tests/support/least_cost.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "stowage/constraints.h"

namespace stowage::support {
namespace {

bool AreLiveTogether(const ByteRecord& a, const ByteRecord& b) {
  return a.first_task <= b.last_task && b.first_task <= a.last_task;
}

// Tries all offsets of all records, one record after another.
class AllPlans {
 public:
  explicit AllPlans(const ProblemSpec& spec)
      : spec_(spec), offsets_(spec.records.size()) {
    const size_t count = spec.records.size();
    costs_.assign(count, std::vector<uint64_t>(count));
    for (const ApartPreference& wish : spec.constraints.prefer_apart) {
      costs_[std::max(wish.first, wish.second)]
            [std::min(wish.first, wish.second)] += wish.cost;
    }
  }

  absl::optional<uint64_t> Find() {
    Try(0, 0);
    return least_;
  }

 private:
  void Try(size_t i, uint64_t paid) {
    if (least_ && paid >= *least_) return;
    if (i == offsets_.size()) {
      least_ = paid;
      return;
    }
    const size_t size = spec_.records[i].tensor_size;
    const size_t step = spec_.alignments.empty() ? 1 : spec_.alignments[i];
    for (size_t at = 0; at + size <= *spec_.capacity; at += step) {
      if (IsElsewhere(i, at) || IsInHole(i, at)) continue;
      offsets_[i] = at;
      bool fits = true;
      uint64_t cost = paid;
      for (size_t j = 0; j < i && fits; ++j) {
        if (!Share(i, j)) continue;
        fits = !MustDiffer(i, j);
        cost += costs_[i][j];
      }
      if (fits) Try(i + 1, cost);
    }
  }

  bool Share(size_t i, size_t j) const {
    return offsets_[i] < offsets_[j] + spec_.records[j].tensor_size &&
           offsets_[j] < offsets_[i] + spec_.records[i].tensor_size;
  }

  bool IsElsewhere(size_t i, size_t at) const {
    return !spec_.fixed_offsets.empty() &&
           spec_.fixed_offsets[i].value_or(at) != at;
  }

  bool IsInHole(size_t i, size_t at) const {
    const ByteRecord& record = spec_.records[i];
    return std::any_of(spec_.constraints.holes.begin(),
                       spec_.constraints.holes.end(), [&](const Hole& hole) {
                         return hole.begin < at + record.tensor_size &&
                                at < hole.end &&
                                record.first_task <= hole.last_task &&
                                hole.first_task <= record.last_task;
                       });
  }

  bool MustDiffer(size_t i, size_t j) const {
    if (AreLiveTogether(spec_.records[i], spec_.records[j])) return true;
    const auto has = [](const std::vector<size_t>& set, size_t record) {
      return std::count(set.begin(), set.end(), record) > 0;
    };
    return std::any_of(
        spec_.constraints.apart.begin(), spec_.constraints.apart.end(),
        [&](const auto& set) { return has(set, i) && has(set, j); });
  }

  const ProblemSpec& spec_;
  // The costs of pairs, indexed by [later record][earlier record].
  std::vector<std::vector<uint64_t>> costs_;
  std::vector<size_t> offsets_;
  absl::optional<uint64_t> least_;
};

}  // namespace

absl::optional<uint64_t> LeastCostOfAllPlans(const ProblemSpec& spec) {
  return AllPlans(spec).Find();
}

}  // namespace stowage::support
