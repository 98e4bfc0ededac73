#include "greedy_by_size/free_gaps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/types/span.h"

namespace stowage::greedy_by_size {
namespace {

// Fills in `by_edge`, `position` and `ahead`, where `earlier(a, b)` compares
// the edges of two records and `edge_is_ahead(a, b)` says whether the edge of a
// lies before the whole of b.
template <typename Earlier, typename EdgeIsAhead>
void SortEdges(size_t size, Earlier earlier, EdgeIsAhead edge_is_ahead,
               std::vector<uint32_t>* by_edge, std::vector<uint32_t>* position,
               std::vector<uint32_t>* ahead) {
  by_edge->resize(size);
  std::iota(by_edge->begin(), by_edge->end(), uint32_t{0});
  std::stable_sort(by_edge->begin(), by_edge->end(), earlier);
  for (uint32_t p = 0; p < size; ++p) (*position)[(*by_edge)[p]] = p;
  for (uint32_t record = 0; record < size; ++record) {
    const auto end = std::partition_point(
        by_edge->begin(), by_edge->end(),
        [&](uint32_t other) { return edge_is_ahead(other, record); });
    (*ahead)[record] = static_cast<uint32_t>(end - by_edge->begin());
  }
}

}  // namespace

FreeGaps::FreeGaps(absl::Span<const ByteRecord> records)
    : records_(records),
      object_of_(records.size()),
      forward_(records.size()),
      backward_(records.size()) {
  SortEdges(
      records.size(),
      [&](uint32_t a, uint32_t b) {
        return records[a].last_task < records[b].last_task;
      },
      [&](uint32_t a, uint32_t b) {
        return records[a].last_task < records[b].first_task;
      },
      &forward_.by_edge, &forward_.position, &forward_.ahead);
  SortEdges(
      records.size(),
      [&](uint32_t a, uint32_t b) {
        return records[a].first_task > records[b].first_task;
      },
      [&](uint32_t a, uint32_t b) {
        return records[a].first_task > records[b].last_task;
      },
      &backward_.by_edge, &backward_.position, &backward_.ahead);
}

uint32_t FreeGaps::Reach(const Side& side, const ByteRecord* record) const {
  if (record == nullptr) return static_cast<uint32_t>(records_.size());
  return side.ahead[IndexOf(record)];
}

Gap FreeGaps::Assign(size_t record, size_t object) {
  auto& timeline = timelines_[object];
  const ByteRecord* added = &records_[record];
  const auto next = timeline.lower_bound(added->first_task);
  Gap gap;
  if (next != timeline.end()) gap.after = next->second;
  if (next != timeline.begin()) gap.before = std::prev(next)->second;
  timeline.emplace_hint(next, added->first_task, added);
  object_of_[record] = static_cast<uint32_t>(object);

  forward_.reach.Set(forward_.position[record], Reach(forward_, gap.after));
  backward_.reach.Set(backward_.position[record], Reach(backward_, gap.before));
  if (gap.before != nullptr) {
    forward_.reach.Set(forward_.position[IndexOf(gap.before)],
                       Reach(forward_, added));
  }
  if (gap.after != nullptr) {
    backward_.reach.Set(backward_.position[IndexOf(gap.after)],
                        Reach(backward_, added));
  }
  return gap;
}

void FreeGaps::Improve(const Side& side, size_t record, Nearest* best) const {
  const uint32_t own = side.position[record];
  for (size_t p = side.reach.LastAbove(side.ahead[record], own);
       p != MaximumTree::kNone; p = side.reach.LastAbove(p, own)) {
    const uint32_t tensor = side.by_edge[p];
    const Distance distance = Between(records_[record], records_[tensor]);
    const size_t object = object_of_[tensor];
    if (distance > best->distance) return;
    if (distance < best->distance || object < best->object) {
      *best = {distance, object};
    }
  }
}

Nearest FreeGaps::FindNearest(size_t record) const {
  Nearest best;
  Improve(forward_, record, &best);
  Improve(backward_, record, &best);
  return best;
}

}  // namespace stowage::greedy_by_size
