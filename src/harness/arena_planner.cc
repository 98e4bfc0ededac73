// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/arena_planner.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/construct/arena_fit.h"
#include "stowage/error_payload.h"
#include "stowage/profile.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::harness {
namespace {

// Returns the tensors that are first used at nodes [first_node, last_node], in
// the order in which they are placed. Tensors that are live from the start and
// never freed come first, by index. The others follow by falling size, then by
// first node, then by index.
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
    // The complement of the size is compared, so that larger tensors come
    // first.
    return std::make_tuple(!stays, stays ? 0 : ~graph.tensors[t].bytes,
                           stays ? 0 : *lifetimes[t].first, t);
  };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  return order;
}

// The tensors of one arena: first those that already have a place, then those
// that need one, in the order in which they are placed.
struct ArenaContents {
  std::vector<size_t> tensors;
  std::vector<ByteRecord> records;
  std::vector<absl::optional<size_t>> fixed;

  void Add(size_t tensor, size_t bytes, const Lifetime& lifetime,
           Storage storage, absl::optional<size_t> offset) {
    const bool is_persistent = storage == Storage::kPersistent;
    tensors.push_back(tensor);
    records.emplace_back(
        bytes, is_persistent ? 0 : lifetime.first.value_or(0),
        is_persistent ? kLastTask : lifetime.last.value_or(kLastTask));
    fixed.push_back(offset);
  }

  // A task after all nodes.
  static constexpr size_t kLastTask = std::numeric_limits<size_t>::max();
};

// Places the tensors with storage `storage` that have no place yet. Tensors
// that already have a place keep it, and the others are placed around them.
absl::Status Place(const ArenaGraph& graph,
                   absl::Span<const Lifetime> lifetimes,
                   absl::Span<const size_t> order, Storage storage,
                   size_t alignment, ArenaPlan* plan, size_t* total) {
  plan->offsets.resize(graph.tensors.size());
  ArenaContents arena;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (!plan->offsets[t] || graph.tensors[t].storage != storage) continue;
    arena.Add(t, graph.tensors[t].bytes, lifetimes[t], storage,
              plan->offsets[t]);
  }
  const size_t placed = arena.tensors.size();
  for (const size_t t : order) {
    const ArenaTensor& tensor = graph.tensors[t];
    if (plan->offsets[t] || tensor.storage != storage || tensor.bytes == 0 ||
        lifetimes[t].root != t) {
      continue;
    }
    arena.Add(t, tensor.bytes, lifetimes[t], storage, absl::nullopt);
  }
  std::vector<size_t> added(arena.tensors.size() - placed);
  std::iota(added.begin(), added.end(), placed);
  const ArenaFit fit =
      PlaceArenaFit(arena.records, added, alignment, arena.fixed);
  if (fit.misfit) {
    const size_t tensor = arena.tensors[*fit.misfit];
    return WithTensor(
        absl::OutOfRangeError(absl::StrCat(
            "tensor ", tensor, ": its end in the arena overflows 64 bits")),
        tensor);
  }
  for (const size_t i : added) {
    plan->offsets[arena.tensors[i]] = fit.plan.offsets[i];
  }
  *total = std::max(*total, fit.plan.total_size);
  return absl::OkStatus();
}

}  // namespace

std::vector<size_t> PlacedFirst(const ArenaRecords& records,
                                absl::Span<const Lifetime> lifetimes) {
  std::vector<size_t> first;
  for (size_t i = 0; i < records.tensors.size(); ++i) {
    const Lifetime& lifetime = lifetimes[records.tensors[i]];
    if (lifetime.first == 0 && !lifetime.last) first.push_back(i);
  }
  return first;
}

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
