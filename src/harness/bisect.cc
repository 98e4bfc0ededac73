// SPDX-License-Identifier: Apache-2.0
#include "src/harness/bisect.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/compare_runs.h"
#include "src/harness/partial_sharing.h"
#include "stowage/base/minimize.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Minimizes the sharing in two searches. The first search finds the tensors
// that must stay in their places, and the operators that must share memory in
// place, for the run to fail. The second search finds pairs among them that
// suffice for the failure. A search for pairs alone would not work, because two
// tensors cannot be separated as long as a third one ties them together.
class Bisector {
 public:
  Bisector(const Model& model, const OperatorResolver& resolver,
           const CheckOptions& options, const std::vector<MemoryPlan>& plans)
      : model_(model),
        resolver_(resolver),
        options_(options),
        graph_(model.subgraphs()[options.subgraph]),
        plans_(plans) {
    // Later invocations are skipped, because they do not affect the failure.
    options_.invocations = plans.size();
    options_.plan.observers.clear();
  }

  absl::StatusOr<Bisection> Run();

 private:
  // A part of the sharing that the search can remove: a tensor that stays in
  // its place, or an operator that shares memory in place.
  struct Element {
    bool is_node = false;
    size_t index = 0;
  };

  std::vector<Element> Elements() const;
  absl::StatusOr<bool> FailsWith(const KeptSharing& kept);
  absl::StatusOr<bool> FailsWithElements(const std::vector<size_t>& kept);
  absl::StatusOr<bool> FailsWithPairs(const std::vector<size_t>& kept);
  absl::Status FindPairs(const std::vector<size_t>& culprits);
  void AddPairs(const MemoryPlan& plan, const std::vector<size_t>& tensors,
                bool are_side_by_side);
  void AddInPlacePair(size_t node);

  std::string TensorText(const MemoryPlan& plan, size_t tensor) const;

  const Model& model_;
  const OperatorResolver& resolver_;
  CheckOptions options_;
  const SubgraphSpec& graph_;
  const std::vector<MemoryPlan>& plans_;
  std::vector<Element> elements_;
  std::vector<SharingPair> pairs_;
  size_t runs_ = 0;
};

bool HasPlace(const MemoryPlan& plan, size_t tensor) {
  return tensor < plan.graph.tensors.size() && tensor < plan.offsets.size() &&
         plan.graph.tensors[tensor].storage == Storage::kArena &&
         plan.graph.tensors[tensor].bytes > 0 && plan.offsets[tensor];
}

ByteRange PlaceOf(const MemoryPlan& plan, size_t tensor) {
  const size_t begin = *plan.offsets[tensor];
  return {begin, begin + plan.graph.tensors[tensor].bytes};
}

// Returns the input that shares its memory with the output of the operator, or
// nullopt if there is none.
absl::optional<size_t> InputTakenOver(const MemoryPlan& plan, size_t node) {
  const ArenaNode& described = plan.graph.nodes[node];
  if (described.outputs.empty() || described.outputs[0] == kAbsent) {
    return absl::nullopt;
  }
  const size_t output = described.outputs[0];
  const size_t root = plan.lifetimes[output].root;
  if (root == output) return absl::nullopt;
  for (const size_t t : described.inputs) {
    if (t != kAbsent && plan.lifetimes[t].root == root) return t;
  }
  return absl::nullopt;
}

std::string Bisector::TensorText(const MemoryPlan& plan, size_t tensor) const {
  const Lifetime& lifetime = plan.lifetimes[tensor];
  return absl::StrCat(tensor < graph_.tensors.size()
                          ? graph_.TensorPlace(tensor)
                          : absl::StrCat("tensor ", tensor, " (a temporary)"),
                      " (tasks ", lifetime.first.value_or(0), " to ",
                      lifetime.last ? absl::StrCat(*lifetime.last) : "the end",
                      ")");
}

std::vector<Bisector::Element> Bisector::Elements() const {
  std::set<size_t> tensors;
  std::set<size_t> nodes;
  for (const MemoryPlan& plan : plans_) {
    for (size_t t = 0; t < plan.offsets.size(); ++t) {
      if (HasPlace(plan, t)) tensors.insert(t);
    }
    for (size_t i = 0; i < plan.graph.nodes.size(); ++i) {
      if (InputTakenOver(plan, i)) nodes.insert(i);
    }
  }
  std::vector<Element> elements;
  elements.reserve(tensors.size() + nodes.size());
  for (const size_t t : tensors) elements.push_back({false, t});
  for (const size_t i : nodes) elements.push_back({true, i});
  return elements;
}

absl::StatusOr<bool> Bisector::FailsWith(const KeptSharing& kept) {
  RunProgress progress;
  CheckOptions options = options_;
  options.plan.planner = [&](const ArenaRecords& records) {
    const bool is_under_test =
        progress.is_feeding && progress.invocation < plans_.size();
    return is_under_test
               ? LayOutApart(records, plans_[progress.invocation].offsets, kept,
                             options_.plan.tensor_alignment)
               : LayOutApart(records, {}, {}, options_.plan.tensor_alignment);
  };
  options.plan.in_place = [&](size_t subgraph, size_t node) {
    return subgraph == options_.subgraph &&
           kept.in_place_nodes.count(node) > 0 &&
           (options_.plan.in_place == nullptr ||
            options_.plan.in_place(subgraph, node));
  };
  ++runs_;
  const auto outcome = CompareRuns(model_, resolver_, options, &progress);
  if (!outcome.ok()) return outcome.status();
  return !outcome->is_safe();
}

absl::StatusOr<bool> Bisector::FailsWithElements(
    const std::vector<size_t>& kept) {
  KeptSharing sharing;
  for (const size_t i : kept) {
    if (elements_[i].is_node) {
      sharing.in_place_nodes.insert(elements_[i].index);
    } else {
      sharing.group_of[elements_[i].index] = 0;
    }
  }
  return FailsWith(sharing);
}

absl::StatusOr<bool> Bisector::FailsWithPairs(const std::vector<size_t>& kept) {
  KeptSharing sharing;
  for (const size_t i : kept) {
    const SharingPair& pair = pairs_[i];
    if (pair.in_place_node) {
      sharing.in_place_nodes.insert(*pair.in_place_node);
      continue;
    }
    // Merges the groups of the two tensors into one group.
    std::map<size_t, size_t>& group_of = sharing.group_of;
    group_of.emplace(pair.first_tensor, pair.first_tensor);
    group_of.emplace(pair.second_tensor, pair.second_tensor);
    const size_t to = group_of[pair.first_tensor];
    const size_t from = group_of[pair.second_tensor];
    for (auto& [tensor, group] : group_of) {
      if (group == from) group = to;
    }
  }
  return FailsWith(sharing);
}

void Bisector::AddPairs(const MemoryPlan& plan,
                        const std::vector<size_t>& tensors,
                        bool are_side_by_side) {
  std::vector<size_t> placed;
  for (const size_t t : tensors) {
    if (HasPlace(plan, t)) placed.push_back(t);
  }
  std::stable_sort(placed.begin(), placed.end(), [&](size_t a, size_t b) {
    return PlaceOf(plan, a).begin < PlaceOf(plan, b).begin;
  });
  for (size_t i = 0; i < placed.size(); ++i) {
    for (size_t j = i + 1; j < placed.size(); ++j) {
      const ByteRange first = PlaceOf(plan, placed[i]);
      const ByteRange second = PlaceOf(plan, placed[j]);
      SharingPair pair;
      pair.first_tensor = std::min(placed[i], placed[j]);
      pair.second_tensor = std::max(placed[i], placed[j]);
      pair.text = absl::StrCat(TensorText(plan, pair.first_tensor), " and ",
                               TensorText(plan, pair.second_tensor));
      if (second.begin < first.end) {
        pair.begin = second.begin;
        pair.end = std::min(first.end, second.end);
        absl::StrAppend(&pair.text, " both have bytes [", pair.begin, ", ",
                        pair.end, ") of the arena");
      } else if (are_side_by_side && j == i + 1) {
        absl::StrAppend(&pair.text, " lie side by side, ",
                        second.begin - first.end, " bytes apart");
      } else {
        continue;
      }
      const bool is_known = absl::c_any_of(pairs_, [&](const SharingPair& p) {
        return p.first_tensor == pair.first_tensor &&
               p.second_tensor == pair.second_tensor;
      });
      if (!is_known) pairs_.push_back(std::move(pair));
    }
  }
}

void Bisector::AddInPlacePair(size_t node) {
  for (const MemoryPlan& plan : plans_) {
    const absl::optional<size_t> input = InputTakenOver(plan, node);
    if (!input) continue;
    SharingPair pair;
    pair.first_tensor = *input;
    pair.second_tensor = plan.graph.nodes[node].outputs[0];
    pair.in_place_node = node;
    const size_t root = plan.lifetimes[*input].root;
    if (HasPlace(plan, root)) {
      pair.begin = PlaceOf(plan, root).begin;
      pair.end = PlaceOf(plan, root).end;
    }
    pair.text = absl::StrCat(
        plan.places[node], " writes ", graph_.TensorPlace(pair.second_tensor),
        " in place of ", graph_.TensorPlace(pair.first_tensor), ", bytes [",
        pair.begin, ", ", pair.end, ") of the arena");
    pairs_.push_back(std::move(pair));
    return;
  }
}

// Finds pairs of elements in `culprits` that suffice for the run to fail. At
// first, only tensors that overlap in the arena form pairs. If the run does not
// fail with those pairs, tensors that are adjacent in the arena form pairs as
// well.
absl::Status Bisector::FindPairs(const std::vector<size_t>& culprits) {
  std::vector<size_t> tensors;
  for (const size_t i : culprits) {
    if (!elements_[i].is_node) tensors.push_back(elements_[i].index);
  }
  for (const bool are_side_by_side : {false, true}) {
    pairs_.clear();
    for (const MemoryPlan& plan : plans_) {
      AddPairs(plan, tensors, are_side_by_side);
    }
    for (const size_t i : culprits) {
      if (elements_[i].is_node) AddInPlacePair(elements_[i].index);
    }
    std::vector<size_t> all(pairs_.size());
    std::iota(all.begin(), all.end(), 0);
    const absl::StatusOr<bool> fails = FailsWithPairs(all);
    if (!fails.ok()) return fails.status();
    if (!*fails) continue;
    const auto needed = Minimize(
        all, [&](const std::vector<size_t>& k) { return FailsWithPairs(k); });
    if (!needed.ok()) return needed.status();
    std::vector<SharingPair> minimal;
    for (const size_t i : *needed) minimal.push_back(pairs_[i]);
    pairs_ = std::move(minimal);
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::StatusOr<Bisection> Bisector::Run() {
  elements_ = Elements();
  std::vector<size_t> all(elements_.size());
  std::iota(all.begin(), all.end(), 0);
  Bisection result;
  const absl::StatusOr<bool> fails_apart = FailsWithElements({});
  if (!fails_apart.ok()) return fails_apart.status();
  const absl::StatusOr<bool> fails_together = FailsWithElements(all);
  if (!fails_together.ok()) return fails_together.status();
  if (*fails_apart) {
    result.text =
        "fails without sharing, too: an operator accesses memory that is not "
        "its own";
  } else if (!*fails_together) {
    result.text = absl::StrCat(
        "passes with the plan of subgraph ", options_.subgraph,
        " alone: the unsafe sharing is elsewhere, or changes from run to run");
  } else {
    const auto culprits = Minimize(all, [&](const std::vector<size_t>& kept) {
      return FailsWithElements(kept);
    });
    if (!culprits.ok()) return culprits.status();
    absl::Status status = FindPairs(*culprits);
    if (!status.ok()) return status;
    result.pairs = std::move(pairs_);
    result.text = result.pairs.empty()
                      ? "fails because of where tensors lie, though no two of "
                        "them share memory"
                      : "fails with this sharing, and not without any one of "
                        "these:";
  }
  result.runs = runs_;
  return result;
}

}  // namespace

absl::StatusOr<Bisection> Bisect(const Model& model,
                                 const OperatorResolver& resolver,
                                 const CheckOptions& options,
                                 const std::vector<MemoryPlan>& plans) {
  return Bisector(model, resolver, options, plans).Run();
}

}  // namespace stowage::harness
