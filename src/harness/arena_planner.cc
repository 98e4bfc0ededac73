#include "stowage/harness/arena_planner.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/best_fit_arena.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

constexpr size_t kEver = std::numeric_limits<size_t>::max();

// What is there from the start and never freed, by index; then the largest
// first; then what is needed first; then by index.
std::vector<size_t> PlacingOrder(const ArenaGraph& graph,
                                 absl::Span<const Lifetime> lifetimes,
                                 size_t first_node, size_t last_node) {
  std::vector<size_t> order;
  for (size_t t = 0; t < lifetimes.size(); ++t) {
    if (lifetimes[t].first && *lifetimes[t].first >= first_node &&
        *lifetimes[t].first <= last_node) {
      order.push_back(t);
    }
  }
  const auto key = [&](size_t t) {
    const bool stays = *lifetimes[t].first == 0 && !lifetimes[t].last;
    // Larger sizes come first: their complement is smaller.
    return std::make_tuple(!stays, stays ? 0 : ~graph.tensors[t].bytes,
                           stays ? 0 : *lifetimes[t].first, t);
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

absl::Status NoPlace(size_t tensor) {
  return absl::OutOfRangeError(absl::StrCat(
      "tensor ", tensor, ": its place in the arena passes 2^64 - 1"));
}

// Places what has `storage` and no place yet around what has one.
absl::Status Place(const ArenaGraph& graph,
                   absl::Span<const Lifetime> lifetimes,
                   absl::Span<const size_t> order, Storage storage,
                   size_t alignment, ArenaPlan* plan, size_t* total) {
  plan->offsets.resize(graph.tensors.size());
  const bool is_persistent = storage == Storage::kPersistent;
  const auto first = [&](size_t t) {
    return is_persistent ? 0 : lifetimes[t].first.value_or(0);
  };
  const auto last = [&](size_t t) {
    return is_persistent ? kEver : lifetimes[t].last.value_or(kEver);
  };
  BestFitArena arena(alignment);
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const ArenaTensor& tensor = graph.tensors[t];
    if (!plan->offsets[t] || tensor.storage != storage) continue;
    const absl::Status status =
        arena.Add(*plan->offsets[t], tensor.bytes, first(t), last(t));
    if (!status.ok()) return NoPlace(t);
  }
  for (const size_t t : order) {
    const ArenaTensor& tensor = graph.tensors[t];
    if (plan->offsets[t] || tensor.storage != storage || tensor.bytes == 0 ||
        lifetimes[t].root != t) {
      continue;
    }
    plan->offsets[t] = arena.Place(tensor.bytes, first(t), last(t));
    if (!plan->offsets[t]) return NoPlace(t);
  }
  *total = std::max(*total, arena.high_water_mark());
  return absl::OkStatus();
}

}  // namespace

absl::Status PlaceTensors(const ArenaGraph& graph,
                          absl::Span<const Lifetime> lifetimes,
                          size_t first_node, size_t last_node, size_t alignment,
                          ArenaPlan* plan) {
  const std::vector<size_t> order =
      PlacingOrder(graph, lifetimes, first_node, last_node);
  absl::Status status = Place(graph, lifetimes, order, Storage::kArena,
                              alignment, plan, &plan->arena_bytes);
  if (!status.ok()) return status;
  return Place(graph, lifetimes, order, Storage::kPersistent, alignment, plan,
               &plan->persistent_bytes);
}

absl::Status PlacePersistent(const ArenaGraph& graph,
                             absl::Span<const Lifetime> lifetimes,
                             size_t first_node, size_t last_node,
                             size_t alignment, ArenaPlan* plan) {
  return Place(graph, lifetimes,
               PlacingOrder(graph, lifetimes, first_node, last_node),
               Storage::kPersistent, alignment, plan, &plan->persistent_bytes);
}

}  // namespace stowage::harness
