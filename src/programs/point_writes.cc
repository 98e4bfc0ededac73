// SPDX-License-Identifier: Apache-2.0
#include "src/programs/point_writes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "src/programs/value_state.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/programs/points.h"
#include "stowage/tensor_size.h"
#include "stowage/verify_values.h"

namespace stowage {
namespace {

using PartKey = std::tuple<size_t, SlotId, SlotId, size_t>;

PartKey KeyOf(const SlotPart& part) {
  return PartKey(part.point, part.part, part.whole, part.at);
}

void SortUnique(std::vector<SlotId>* slots) {
  std::sort(slots->begin(), slots->end());
  slots->erase(std::unique(slots->begin(), slots->end()), slots->end());
}

// The beginning or the end of a range of bytes.
struct RangeEdge {
  size_t at = 0;
  bool is_begin = false;
  bool is_right = false;
  size_t index = 0;
};

// Returns the edges of all ranges in rising order. At the same byte, edges that
// end a range come before edges that begin a range.
std::vector<RangeEdge> EdgesOf(Span<const SlotBytes> left,
                               Span<const SlotBytes> right) {
  std::vector<RangeEdge> edges;
  for (const bool is_right : {false, true}) {
    const Span<const SlotBytes> ranges = is_right ? right : left;
    for (size_t i = 0; i < ranges.size(); ++i) {
      edges.push_back({ranges[i].begin, true, is_right, i});
      edges.push_back({ranges[i].end, false, is_right, i});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const RangeEdge& a, const RangeEdge& b) {
              return std::tie(a.at, a.is_begin, a.is_right, a.index) <
                     std::tie(b.at, b.is_begin, b.is_right, b.index);
            });
  return edges;
}

}  // namespace

void VisitOverlaps(Span<const SlotBytes> left, Span<const SlotBytes> right,
                   const std::function<bool(size_t, size_t, size_t)>& visit) {
  std::set<size_t> open[2];
  for (const RangeEdge& edge : EdgesOf(left, right)) {
    std::set<size_t>& own = open[edge.is_right ? 1 : 0];
    if (!edge.is_begin) {
      own.erase(edge.index);
      continue;
    }
    own.insert(edge.index);
    for (const size_t other : open[edge.is_right ? 0 : 1]) {
      const bool goes_on = edge.is_right ? visit(other, edge.index, edge.at)
                                         : visit(edge.index, other, edge.at);
      if (!goes_on) return;
    }
  }
}

PlacedPoints::PlacedPoints(const ProgramPoints& points,
                           Span<const optional<size_t>> offsets,
                           Span<const SlotPart> parts)
    : points_(points), offsets_(offsets), parts_(parts.begin(), parts.end()) {
  std::sort(
      parts_.begin(), parts_.end(),
      [](const SlotPart& a, const SlotPart& b) { return KeyOf(a) < KeyOf(b); });
}

optional<SlotBytes> PlacedPoints::BytesOf(SlotId slot) const {
  if (!offsets_[slot]) return nullopt;
  const size_t begin = *offsets_[slot];
  const optional<size_t> end = CheckedAdd(begin, points_.slot_sizes[slot]);
  if (!end) return nullopt;
  return SlotBytes{begin, *end};
}

std::vector<SlotId> PlacedPoints::ReadsOf(uint32_t point) const {
  const Point& that = points_.points[point];
  std::vector<SlotId> reads;
  const auto add = [&](SlotId slot) {
    if (HasBytes(slot)) reads.push_back(slot);
  };
  for (const SlotId slot : that.reads) add(slot);
  for (const SlotCopy& copy : that.copies) add(copy.source);
  SortUnique(&reads);
  return reads;
}

optional<SlotId> PlacedPoints::FindUnplaced(uint32_t point) const {
  for (const SlotId slot : ReadsOf(point)) {
    if (!BytesOf(slot)) return slot;
  }
  for (const SlotId slot : points_.points[point].writes) {
    if (HasBytes(slot) && !BytesOf(slot)) return slot;
  }
  return nullopt;
}

std::vector<SlotWrite> PlacedPoints::WritesOf(uint32_t point) const {
  const Point& that = points_.points[point];
  const auto has_size_of = [&](SlotId a, SlotId b) {
    return points_.slot_sizes[a] == points_.slot_sizes[b];
  };
  std::map<SlotId, SlotWrite> writes;
  for (const SlotId slot : that.writes) {
    if (HasBytes(slot)) writes[slot] = {slot, *BytesOf(slot), nullopt};
  }
  const auto take_over = [&](SlotId destination, SlotId source, bool is_copy) {
    const auto it = writes.find(destination);
    if (it == writes.end()) return;
    SlotWrite& write = it->second;
    write.is_copy |= is_copy;
    if (write.is_in_place || !has_size_of(destination, source)) return;
    write.source = source;
    write.is_in_place = offsets_[destination] == offsets_[source];
  };
  for (const SlotInPlace& pair : that.in_place) {
    if (pair.is_view) take_over(pair.output, pair.input, /*is_copy=*/false);
  }
  for (const SlotCopy& copy : that.copies) {
    take_over(copy.destination, copy.source, /*is_copy=*/true);
  }
  std::vector<SlotWrite> result;
  result.reserve(writes.size());
  for (const auto& write : writes) result.push_back(write.second);
  return result;
}

bool PlacedPoints::IsPart(uint32_t point, SlotId part, SlotId whole,
                          size_t at) const {
  return std::binary_search(
      parts_.begin(), parts_.end(), SlotPart{point, part, whole, at},
      [](const SlotPart& a, const SlotPart& b) { return KeyOf(a) < KeyOf(b); });
}

bool PlacedPoints::LiesOnPart(uint32_t point, const std::vector<SlotId>& reads,
                              SlotBytes read, const SlotWrite& write) const {
  auto part = std::lower_bound(
      parts_.begin(), parts_.end(), point,
      [](const SlotPart& a, uint32_t p) { return a.point < p; });
  for (; part != parts_.end() && part->point == point; ++part) {
    if (part->whole != write.slot ||
        !std::binary_search(reads.begin(), reads.end(), part->part)) {
      continue;
    }
    const optional<SlotBytes> bytes = BytesOf(part->part);
    if (bytes && bytes->begin == write.bytes.begin + part->at &&
        bytes->end <= write.bytes.end && read.begin >= bytes->begin &&
        read.end <= bytes->end) {
      return true;
    }
  }
  return false;
}

optional<ValueFault> PlacedPoints::FindOverlap(
    uint32_t point, const std::vector<SlotId>& reads,
    const std::vector<SlotWrite>& writes) const {
  const Point& that = points_.points[point];
  // A point that is not an operator only makes copies, which may overwrite what
  // the point reads. The list `copies` is not sufficient to recognize such a
  // point, because a constant has no slot, so copies of constants are not
  // listed.
  const bool only_copies = that.kind != PointKind::kOperator;
  std::set<SlotId> sources;
  for (const SlotCopy& copy : that.copies) sources.insert(copy.source);
  std::set<std::pair<SlotId, SlotId>> declared;
  for (const SlotInPlace& pair : that.in_place) {
    declared.insert({pair.output, pair.input});
  }
  std::vector<SlotBytes> read_bytes;
  read_bytes.reserve(reads.size());
  for (const SlotId slot : reads) read_bytes.push_back(*BytesOf(slot));
  std::vector<SlotWrite> made;
  std::vector<SlotBytes> made_bytes;
  for (const SlotWrite& write : writes) {
    if (write.is_in_place) continue;
    made.push_back(write);
    made_bytes.push_back(write.bytes);
  }
  const auto is_allowed = [&](const SlotWrite& write, SlotId slot,
                              SlotBytes read) {
    if (write.slot == slot) return true;
    if (only_copies || (write.is_copy && sources.count(slot) != 0)) return true;
    if (write.bytes.begin == read.begin && write.bytes.end == read.end &&
        declared.count({write.slot, slot}) != 0) {
      return true;
    }
    const bool is_inside =
        read.begin >= write.bytes.begin && read.end <= write.bytes.end;
    const bool is_around =
        write.bytes.begin >= read.begin && write.bytes.end <= read.end;
    return (is_inside && LiesOnPart(point, reads, read, write)) ||
           (is_around &&
            IsPart(point, write.slot, slot, write.bytes.begin - read.begin));
  };
  optional<ValueFault> fault;
  VisitOverlaps(made_bytes, read_bytes, [&](size_t i, size_t j, size_t byte) {
    if (is_allowed(made[i], reads[j], read_bytes[j])) return true;
    fault = ValueFault{ValueFault::Kind::kInPlace,
                       point,
                       reads[j],
                       byte,
                       point,
                       made[i].slot,
                       made[i].slot};
    return false;
  });
  return fault;
}

}  // namespace stowage
