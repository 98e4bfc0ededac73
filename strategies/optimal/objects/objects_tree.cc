// SPDX-License-Identifier: Apache-2.0
#include "optimal/objects/objects_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/span.h"

namespace stowage::optimal {
namespace {

// The number of nodes between two checks of the signal.
constexpr uint64_t kInterval = 64;

}  // namespace

ObjectsTree::ObjectsTree(std::vector<ObjectItem> items, uint32_t steps,
                         Span<const size_t> maximums, KernelLimits limits)
    : items_(std::move(items)),
      steps_(steps),
      limits_(std::move(limits)),
      order_(items_.size()),
      to_come_(maximums.begin(), maximums.end()),
      ids_(items_.size()) {
  std::iota(order_.begin(), order_.end(), uint32_t{0});
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    if (items_[a].size != items_[b].size) {
      return items_[a].size > items_[b].size;
    }
    const uint32_t begin = items_[a].life.begin;
    const uint32_t other = items_[b].life.begin;
    return begin != other ? begin < other : a < b;
  });
  to_come_.push_back(0);
  for (size_t k = to_come_.size() - 1; k-- > 0;) to_come_[k] += to_come_[k + 1];
}

// Returns the open objects that are free during `life`, by ascending idle time.
std::vector<ObjectsTree::Choice> ObjectsTree::FreeObjects(
    StepInterval life) const {
  std::vector<Choice> choices;
  for (uint32_t k = 0; k < objects_.size(); ++k) {
    const auto& uses = objects_[k].uses;
    const auto after = uses.lower_bound(life.begin);
    const uint32_t next = after == uses.end() ? steps_ : after->first;
    const uint32_t last = after == uses.begin() ? 0 : std::prev(after)->second;
    if (next < life.end || last > life.begin) continue;
    choices.push_back({next - last, k});
  }
  std::sort(choices.begin(), choices.end(),
            [](const Choice& a, const Choice& b) {
              return a.idle != b.idle ? a.idle < b.idle : a.object > b.object;
            });
  return choices;
}

bool ObjectsTree::MayBeBetter() const {
  const size_t opened = std::min(objects_.size(), to_come_.size() - 1);
  return paid_ + to_come_[opened] < limits_.limit;
}

bool ObjectsTree::Assign(size_t depth, size_t object) {
  const StepInterval life = items_[order_[depth]].life;
  objects_[object].uses.emplace(life.begin, life.end);
  ids_[order_[depth]] = object;
  const bool is_done = Search(depth + 1);
  objects_[object].uses.erase(life.begin);
  return is_done;
}

bool ObjectsTree::Offer() {
  ObjectsAssignment<size_t> plan;
  plan.object_ids = ids_;
  for (const Object& object : objects_) {
    plan.object_sizes.push_back(object.size);
  }
  limits_.limit = paid_;
  return !limits_.on_plan(std::move(plan), paid_, "object tree");
}

bool ObjectsTree::Search(size_t depth) {
  if (*limits_.nodes_left == 0) return false;
  if (*limits_.nodes_left % kInterval == 0 && limits_.stop->IsSet()) {
    return false;
  }
  --*limits_.nodes_left;
  if (depth == order_.size()) return Offer();
  const ObjectItem& item = items_[order_[depth]];
  for (const Choice& choice : FreeObjects(item.life)) {
    if (!MayBeBetter()) return true;
    if (!Assign(depth, choice.object)) return false;
  }
  paid_ += item.size;
  objects_.push_back({item.size, {}});
  bool is_done = true;
  if (MayBeBetter()) is_done = Assign(depth, objects_.size() - 1);
  objects_.pop_back();
  paid_ -= item.size;
  return is_done;
}

}  // namespace stowage::optimal
