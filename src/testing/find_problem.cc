// SPDX-License-Identifier: Apache-2.0
// The search for a problem on which a planner in this process fails.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/testing/problem_search.h"
#include "src/testing/problem_transforms.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/problem_properties.h"
#include "stowage/testing/random_problems.h"

namespace stowage::testing {
namespace {

class ProblemShrinker {
 public:
  ProblemShrinker(Instance instance,
                  const std::function<bool(const Instance&)>& still_fails,
                  size_t max_calls)
      : best_(std::move(instance)),
        still_fails_(still_fails),
        calls_left_(max_calls) {}

  Instance Run() && {
    do {
      has_changed_ = false;
      DropRecords();
      DropConstraints();
      ShrinkNumbers();
    } while (has_changed_ && calls_left_ > 0);
    return std::move(best_);
  }

 private:
  bool Try(Instance candidate) {
    if (calls_left_ == 0) return false;
    if (!Problem::Create(SpecOf(candidate)).ok()) return false;
    --calls_left_;
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    has_changed_ = true;
    return true;
  }

  void DropRecords() {
    for (size_t i = best_.records.size(); i-- > 0;) {
      if (best_.records.size() == 1) return;
      std::vector<size_t> kept;
      for (size_t j = 0; j < best_.records.size(); ++j) {
        if (j != i) kept.push_back(j);
      }
      Try(ProblemOfRecords(best_, kept));
    }
  }

  template <typename T>
  void DropFrom(std::vector<T> Constraints::*list) {
    for (size_t i = (best_.constraints.*list).size(); i-- > 0;) {
      Instance candidate = best_;
      auto& entries = candidate.constraints.*list;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
      Try(std::move(candidate));
    }
  }

  // `change(&candidate, i)` for each record.
  template <typename ChangeFn>
  void TryEach(const ChangeFn& change) {
    for (size_t i = 0; i < best_.records.size(); ++i) {
      Instance candidate = best_;
      if (change(&candidate, i)) Try(std::move(candidate));
    }
  }

  void DropConstraints() {
    DropFrom(&Constraints::holes);
    DropFrom(&Constraints::apart);
    DropFrom(&Constraints::never);
    DropFrom(&Constraints::prefer_apart);
    TryEach([](Instance* in, size_t i) {
      if (in->fixed_offsets.empty() || !in->fixed_offsets[i]) return false;
      in->fixed_offsets[i].reset();
      return true;
    });
    TryEach([](Instance* in, size_t i) {
      if (in->constraints.choices.empty()) return false;
      return !std::exchange(in->constraints.choices[i], {}).empty();
    });
    DropPlaces();
  }

  void DropPlaces() {
    if (best_.constraints.places.empty()) return;
    TryEach([](Instance* in, size_t i) {
      return std::exchange(in->constraints.places[i].min, 0) > 0;
    });
    TryEach([](Instance* in, size_t i) {
      return std::exchange(in->constraints.places[i].max, absl::nullopt)
          .has_value();
    });
    TryEach([](Instance* in, size_t i) {
      RecordPlace& place = in->constraints.places[i];
      place.at = 0;
      return std::exchange(place.group, kNoGroup) != kNoGroup;
    });
  }

  void ShrinkNumbers() {
    TryEach([](Instance* in, size_t i) {
      return !in->alignments.empty() && std::exchange(in->alignments[i], 1) > 1;
    });
    for (const size_t divisor : std::initializer_list<size_t>{8, 2}) {
      TryEach([&](Instance* in, size_t i) {
        size_t& size = in->records[i].tensor_size;
        const size_t smaller = std::max<size_t>(size / divisor, 1);
        return size > 1 && std::exchange(size, smaller) > smaller;
      });
    }
    TryEach([](Instance* in, size_t i) {
      size_t& size = in->records[i].tensor_size;
      return size > 1 && size-- > 1;
    });
  }

  Instance best_;
  const std::function<bool(const Instance&)>& still_fails_;
  size_t calls_left_;
  bool has_changed_ = false;
};

}  // namespace

Instance NthProblem(size_t n, uint64_t seed, size_t size,
                    const ProblemKnobs& knobs) {
  std::vector<FeatureSet> sets;
  for (const Feature feature : kAllFeatures) {
    if (knobs.features.Has(feature)) sets.push_back({feature});
  }
  sets.push_back(knobs.features);
  ProblemKnobs some = knobs;
  some.features = sets[n % sets.size()];
  return RandomProblem(seed, size, some);
}

Instance ShrinkProblem(const Instance& instance,
                       const std::function<bool(const Instance&)>& still_fails,
                       size_t max_calls) {
  return ProblemShrinker(instance, still_fails, max_calls).Run();
}

// Problems that are tried after a failure: a property before it says more.
constexpr size_t kMore = 100;

absl::optional<ProblemFailure> FindFailure(const ProblemPlanFn& planner,
                                           const SearchForProblem& search) {
  Instance asked;
  ProblemPlanFn observed;
  if (planner) {
    observed = [&](const Problem& problem) {
      asked = MakeInstance(problem);
      return planner(problem);
    };
  }
  const auto properties = ProblemProperties(search.knobs.features);
  absl::optional<ProblemFailure> failure;
  size_t count = properties.size();  // those that would say more
  size_t end = search.problems;
  for (size_t n = 0; n < end; ++n) {
    const Instance instance =
        NthProblem(n, search.seed + n, 1 + n % search.max_size, search.knobs);
    for (size_t p = 0; p < count; ++p) {
      if (properties[p].check(observed, instance).ok()) continue;
      if (!failure) end = std::min(end, n + kMore);
      failure.emplace();
      failure->property = properties[p].name;
      failure->sentence = properties[p].sentence;
      failure->problems = n + 1;
      failure->found = instance;
      count = p;
    }
  }
  if (!failure) return failure;
  const auto& check = properties[count].check;
  failure->smallest = ShrinkProblem(
      failure->found,
      [&](const Instance& smaller) { return !check(observed, smaller).ok(); });
  failure->status = check(observed, failure->smallest);
  failure->asked = asked;
  return failure;
}

}  // namespace stowage::testing
