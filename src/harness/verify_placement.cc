// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/verify_placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/error_payload.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/programs/points.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/verify_values.h"

namespace stowage::harness {
namespace {

class GraphPointBuilder {
 public:
  GraphPointBuilder(const MemoryPlan& plan, bool keeps_inputs)
      : plan_(plan),
        keeps_inputs_(keeps_inputs),
        has_worked_(plan.graph.tensors.size(), false),
        is_written_(plan.graph.tensors.size(), false) {}

  GraphPoints Build();

 private:
  size_t BytesOf(size_t tensor) const {
    const ArenaTensor& that = plan_.graph.tensors[tensor];
    return that.storage == Storage::kArena ? that.bytes : 0;
  }
  void Add(size_t tensor, std::vector<SlotId>* slots) const {
    if (tensor == kAbsent || BytesOf(tensor) == 0) return;
    slots->push_back(static_cast<SlotId>(tensor));
  }
  void AddStart();
  void AddNode(size_t index);
  void AddEnd();
  void AddPoint(Point point);

  const MemoryPlan& plan_;
  const bool keeps_inputs_;
  GraphPoints result_;
  // For each tensor, whether an earlier node has used it as a temporary.
  std::vector<bool> has_worked_;
  std::vector<bool> is_written_;
};

void GraphPointBuilder::AddPoint(Point point) {
  std::vector<Point>& points = result_.points.points;
  if (!points.empty()) {
    points.back().next = {static_cast<uint32_t>(points.size())};
  }
  for (const SlotId slot : point.writes) is_written_[slot] = true;
  points.push_back(std::move(point));
}

void GraphPointBuilder::AddStart() {
  Point start;
  start.kind = PointKind::kStart;
  for (const size_t t : plan_.graph.inputs) Add(t, &start.writes);
  AddPoint(std::move(start));
}

void GraphPointBuilder::AddNode(size_t index) {
  const ArenaNode& node = plan_.graph.nodes[index];
  Point point;
  point.node = static_cast<uint32_t>(index);
  // An input that nothing has written has no value that could be lost. An
  // example is the second input of a RESHAPE with a shape that is known without
  // this input.
  for (const size_t t : node.inputs) {
    if (t != kAbsent && is_written_[t]) Add(t, &point.reads);
  }
  for (const size_t t : node.outputs) Add(t, &point.writes);
  for (const size_t t : node.temporaries) {
    Add(t, has_worked_[t] ? &point.reads : &point.writes);
    has_worked_[t] = true;
  }
  const size_t shared = std::min(node.inputs.size(), std::size(kInPlaceInputs));
  const bool is_shared = !node.outputs.empty() && node.outputs[0] != kAbsent;
  for (size_t i = 0; is_shared && i < shared; ++i) {
    const size_t input = node.inputs[i];
    if (input == kAbsent || !HasFlag(node.in_place, kInPlaceInputs[i])) {
      continue;
    }
    point.in_place.push_back({static_cast<SlotId>(node.outputs[0]),
                              static_cast<SlotId>(input),
                              HasFlag(node.in_place, InPlace::kUnmodified)});
  }
  for (const ArenaPart& part : node.parts) {
    result_.parts.push_back({result_.points.points.size(),
                             static_cast<SlotId>(part.part),
                             static_cast<SlotId>(part.whole), part.at});
  }
  AddPoint(std::move(point));
}

void GraphPointBuilder::AddEnd() {
  Point end;
  end.kind = PointKind::kEnd;
  for (const size_t t : plan_.graph.outputs) {
    // An output that has not been written belongs to a node that is not
    // prepared yet.
    if (is_written_[t]) Add(t, &end.reads);
  }
  if (keeps_inputs_) {
    for (const size_t t : plan_.graph.inputs) Add(t, &end.reads);
  }
  AddPoint(std::move(end));
}

GraphPoints GraphPointBuilder::Build() {
  for (size_t t = 0; t < plan_.graph.tensors.size(); ++t) {
    result_.points.slot_sizes.push_back(BytesOf(t));
    const size_t root =
        t < plan_.lifetimes.size() ? plan_.lifetimes[t].root : t;
    result_.offsets.push_back(root < plan_.offsets.size() ? plan_.offsets[root]
                                                          : absl::nullopt);
  }
  AddStart();
  for (size_t node = 0; node < plan_.prepared_nodes; ++node) AddNode(node);
  AddEnd();
  return std::move(result_);
}

}  // namespace

GraphPoints PointsOfGraph(const MemoryPlan& plan, bool keeps_inputs) {
  return GraphPointBuilder(plan, keeps_inputs).Build();
}

absl::Status VerifyPlacement(const MemoryPlan& plan, bool keeps_inputs) {
  const GraphPoints graph = PointsOfGraph(plan, keeps_inputs);
  const absl::optional<ValueFault> fault =
      FindValueFault(graph.points, graph.offsets, graph.parts);
  if (!fault) return absl::OkStatus();
  const auto place = [&](size_t point) {
    const Point& that = graph.points.points[point];
    if (that.kind == PointKind::kStart) return std::string("the start");
    if (that.kind == PointKind::kEnd) return std::string("the end");
    return that.node < plan.places.size() ? plan.places[that.node]
                                          : absl::StrCat("node ", that.node);
  };
  return WithTensor(
      absl::InternalError(absl::StrCat(
          place(fault->point), ": tensor ", fault->slot, " is damaged at byte ",
          fault->byte, " of the arena, ",
          fault->writer ? absl::StrCat("written by ", place(*fault->writer),
                                       " for tensor ", *fault->writer_slot)
                        : "which does not hold its value",
          "; expected a plan under which every read finds what was written")),
      fault->slot);
}

}  // namespace stowage::harness
