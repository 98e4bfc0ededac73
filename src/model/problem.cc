// SPDX-License-Identifier: Apache-2.0
#include "stowage/problem.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "src/model/check_problem.h"
#include "src/bounds/constrained_bound.h"
#include "src/bounds/interval_ranks.h"

namespace stowage {
namespace {

// Permissions and preferences require no feature.
void AddFeaturesOf(const Constraints& constraints, FeatureSet* features) {
  if (!constraints.holes.empty()) features->Add(Feature::kPlaces);
  for (const RecordPlace& place : constraints.places) {
    if (place.min > 0 || place.max) features->Add(Feature::kPlaces);
    if (place.group != kNoGroup) features->Add(Feature::kGroups);
  }
  if (!constraints.apart.empty()) features->Add(Feature::kApart);
  if (!constraints.pools.empty()) features->Add(Feature::kPools);
  if (constraints.order) features->Add(Feature::kPartialOrder);
}

FeatureSet FeaturesOf(const ProblemSpec& spec) {
  FeatureSet features;
  if (spec.kind == PlanKind::kOffsets) {
    features.Add(Feature::kOffsets);
  } else if (absl::holds_alternative<std::vector<ByteRecord>>(spec.extents)) {
    features.Add(Feature::kObjects);
  } else if (absl::holds_alternative<std::vector<TensorUsageRecord<BHWC>>>(
                 spec.extents)) {
    features.Add(Feature::kBhwc);
  } else {
    features.Add(Feature::kExtents);
  }
  if (spec.reallocation_graph) features.Add(Feature::kReallocationGraph);
  const auto& fixed = spec.fixed_offsets;
  if (std::any_of(fixed.begin(), fixed.end(),
                  [](const auto& offset) { return offset.has_value(); })) {
    features.Add(Feature::kFixedOffsets);
  }
  AddFeaturesOf(spec.constraints, &features);
  return features;
}

}  // namespace

// The computed values are guarded by separate flags, since computing one may
// ask for another.
struct Problem::State {
  explicit State(ProblemSpec given)
      : spec(std::move(given)),
        alignments(AlignmentsOf(spec)),
        features(FeaturesOf(spec)) {
    auto* const bytes = absl::get_if<std::vector<ByteRecord>>(&spec.extents);
    if (bytes != nullptr) *bytes = std::move(spec.records);
  }

  ProblemSpec spec;  // with all records in `extents`
  const Alignments alignments;
  const FeatureSet features;

  mutable std::once_flag ranks_once;
  mutable IntervalRanks ranks;
  mutable std::once_flag breadths_once;
  mutable std::vector<TaskBreadth> breadths;
  mutable std::once_flag bound_once;
  mutable LowerBound bound;
  mutable std::once_flag naive_once;
  mutable size_t naive_size = 0;
};

absl::string_view PlanKindName(PlanKind kind) {
  return kind == PlanKind::kOffsets ? "offsets" : "objects";
}

Problem::Problem(std::shared_ptr<const State> state)
    : state_(std::move(state)) {}

absl::StatusOr<Problem> Problem::Create(ProblemSpec spec) {
  if (absl::Status s = CheckProblem(spec); !s.ok()) return s;
  return Problem(std::make_shared<const State>(std::move(spec)));
}

PlanKind Problem::kind() const { return state_->spec.kind; }

size_t Problem::size() const {
  return absl::visit([](const auto& records) { return records.size(); },
                     state_->spec.extents);
}

const AnyRecords& Problem::any_records() const { return state_->spec.extents; }

absl::Span<const ByteRecord> Problem::records() const {
  return absl::get<std::vector<ByteRecord>>(state_->spec.extents);
}

const Alignments& Problem::alignments() const { return state_->alignments; }

absl::optional<size_t> Problem::capacity() const {
  return state_->spec.capacity;
}

const UsageGraph* Problem::reallocation_graph() const {
  const auto& graph = state_->spec.reallocation_graph;
  return graph ? &*graph : nullptr;
}

bool Problem::has_fixed_offsets() const {
  return state_->features.Has(Feature::kFixedOffsets);
}

absl::optional<size_t> Problem::fixed_offset(size_t record) const {
  if (!has_fixed_offsets()) return absl::nullopt;
  return state_->spec.fixed_offsets[record];
}

const Constraints* Problem::constraints() const {
  const Constraints& constraints = state_->spec.constraints;
  return constraints.empty() ? nullptr : &constraints;
}

absl::Span<const size_t> Problem::place_first() const {
  return state_->spec.place_first;
}

absl::Span<const std::string> Problem::names() const {
  return state_->spec.names;
}

FeatureSet Problem::Requires() const { return state_->features; }

const IntervalRanks& Problem::ranks() const {
  std::call_once(state_->ranks_once,
                 [this] { state_->ranks = RankIntervals(records()); });
  return state_->ranks;
}

absl::Span<const TaskBreadth> Problem::breadths() const {
  std::call_once(state_->breadths_once, [this] {
    state_->breadths = TaskBreadths(records(), ranks());
  });
  return state_->breadths;
}

namespace {

LowerBound BoundOfObjects(const Problem& problem) {
  const std::vector<size_t> maximums =
      PositionalMaximums(problem.records(), problem.ranks());
  return {std::accumulate(maximums.begin(), maximums.end(), size_t{0}),
          "the sum of positional maximums", "positional maximums",
          absl::nullopt};
}

LowerBound BoundOfOffsets(const Problem& problem) {
  const TaskBreadth peak = Broadest(problem.breadths());
  LowerBound bound = {
      peak.breadth, absl::StrCat("the bytes live at task ", peak.task),
      absl::StrCat("bytes live at task ", peak.task), peak.task};
  for (size_t i = 0; problem.has_fixed_offsets() && i < problem.size(); ++i) {
    const absl::optional<size_t> offset = problem.fixed_offset(i);
    if (!offset) continue;
    const size_t end = *offset + problem.records()[i].tensor_size;
    if (end <= bound.bytes) continue;
    bound = {end, absl::StrCat("the end of record ", i, " at its fixed offset"),
             "fixed records", absl::nullopt};
  }
  return bound;
}

}  // namespace

const LowerBound& Problem::lower_bound() const {
  std::call_once(state_->bound_once, [this] {
    state_->bound = constraints() != nullptr ? BoundUnderConstraints(*this)
                    : kind() == PlanKind::kOffsets ? BoundOfOffsets(*this)
                                                   : BoundOfObjects(*this);
  });
  return state_->bound;
}

size_t Problem::naive_size() const {
  std::call_once(state_->naive_once,
                 [this] { state_->naive_size = NaiveSize(records()); });
  return state_->naive_size;
}

}  // namespace stowage
