// SPDX-License-Identifier: Apache-2.0
#include "stowage/problem.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "src/model/check_problem.h"
#include "src/model/constraint_support.h"
#include "src/model/derived_values.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

// Adds the features that the constraints require. Permissions and preferences
// require no feature.
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
  features.Add(spec.kind == PlanKind::kOffsets ? Feature::kOffsets
                                               : Feature::kObjects);
  if (spec.reallocation_graph) features.Add(Feature::kReallocationGraph);
  if (HasFixedOffsets(spec)) features.Add(Feature::kFixedOffsets);
  AddFeaturesOf(spec.constraints, &features);
  return features;
}

}  // namespace

struct Problem::State {
  explicit State(ProblemSpec given)
      : spec(std::move(given)),
        alignments(AlignmentsOf(spec)),
        features(FeaturesOf(spec)) {}

  const ProblemSpec spec;
  const Alignments alignments;
  const FeatureSet features;

  const DerivedValues derived;
};

string_view PlanKindName(PlanKind kind) {
  return kind == PlanKind::kOffsets ? "offsets" : "objects";
}

bool HasFixedOffsets(const ProblemSpec& spec) {
  return std::any_of(spec.fixed_offsets.begin(), spec.fixed_offsets.end(),
                     [](const auto& offset) { return offset.has_value(); });
}

Problem::Problem(std::shared_ptr<const State> state)
    : state_(std::move(state)) {}

StatusOr<Problem> Problem::Create(ProblemSpec spec) {
  // With a free order, the intervals are determined by the order that the
  // planner chooses later. The intervals provided by the caller have no
  // meaning, so all of them are set to [0, 0].
  if (spec.free_order) {
    for (ByteRecord& record : spec.records) {
      record.first_task = 0;
      record.last_task = 0;
    }
  }
  if (Status s = CheckProblem(spec); !s.ok()) return s;
  if (!spec.constraints.prefer_apart.empty()) {
    LinkedConstraints()->add_up_preferences(&spec.constraints.prefer_apart);
  }
  return Problem(std::make_shared<const State>(std::move(spec)));
}

PlanKind Problem::kind() const { return state_->spec.kind; }

size_t Problem::size() const { return state_->spec.records.size(); }

Span<const ByteRecord> Problem::records() const { return state_->spec.records; }

const Alignments& Problem::alignments() const { return state_->alignments; }

optional<size_t> Problem::capacity() const { return state_->spec.capacity; }

const UsageGraph* Problem::reallocation_graph() const {
  const auto& graph = state_->spec.reallocation_graph;
  return graph ? &*graph : nullptr;
}

bool Problem::has_fixed_offsets() const {
  return state_->features.Has(Feature::kFixedOffsets);
}

optional<size_t> Problem::fixed_offset(size_t record) const {
  if (!has_fixed_offsets()) return nullopt;
  return state_->spec.fixed_offsets[record];
}

const Constraints* Problem::constraints() const {
  const Constraints& constraints = state_->spec.constraints;
  return constraints.empty() ? nullptr : &constraints;
}

Span<const size_t> Problem::place_first() const {
  return state_->spec.place_first;
}

Span<const std::string> Problem::names() const { return state_->spec.names; }

const Labels& Problem::labels() const { return state_->spec.labels; }

const FreeOrder* Problem::free_order() const {
  const auto& free_order = state_->spec.free_order;
  return free_order ? &*free_order : nullptr;
}

bool Problem::groups_are_optional() const {
  return state_->spec.groups_are_optional;
}

ProblemSpec Problem::ToSpec() const { return state_->spec; }

FeatureSet Problem::Requires() const { return state_->features; }

const DerivedValues& Problem::derived() const { return state_->derived; }

}  // namespace stowage
