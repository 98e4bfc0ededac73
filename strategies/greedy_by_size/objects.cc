#include "greedy_by_size/objects.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "greedy_by_size/free_gaps.h"
#include "greedy_by_size/waiting_records.h"

namespace stowage::greedy_by_size {
namespace {

class Assigner {
 public:
  explicit Assigner(absl::Span<const ByteRecord> records)
      : records_(records),
        gaps_(records),
        waiting_(records),
        nearest_(records.size()),
        rank_(records.size()) {}

  ObjectsAssignment<size_t> Run() {
    assignment_.object_ids.resize(records_.size());
    const std::vector<size_t> order = LargestFirst();
    for (size_t k = 0; k < order.size(); ++k) rank_[order[k]] = k;
    size_t begin = 0;
    for (const size_t end : StageEnds(order)) {
      stage_end_ = end;
      for (size_t k = begin; k < end; ++k) Enqueue(order[k]);
      for (; begin < end; ++begin) Step(order[Dequeue(order)]);
    }
    return std::move(assignment_);
  }

 private:
  std::vector<size_t> LargestFirst() const {
    std::vector<size_t> order(records_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return records_[a].tensor_size > records_[b].tensor_size;
    });
    return order;
  }

  // Where each stage ends in `order`: a stage holds the records for which the
  // same number of positional maximums is at least as large.
  std::vector<size_t> StageEnds(const std::vector<size_t>& order) const {
    const std::vector<size_t> maximums = PositionalMaximums(records_);
    std::vector<size_t> ends;
    size_t k = 0;
    for (size_t m = 1; m <= maximums.size(); ++m) {
      while (k < order.size() &&
             (m == maximums.size() ||
              records_[order[k]].tensor_size > maximums[m])) {
        ++k;
      }
      ends.push_back(k);
    }
    return ends;
  }

  void Enqueue(size_t record) {
    queue_.emplace(nearest_[record].distance, rank_[record]);
  }

  // The rank of the record of this stage that is closest to an object, the
  // largest on ties. Entries that later changes have outdated are dropped.
  size_t Dequeue(const std::vector<size_t>& order) {
    for (;;) {
      const auto [distance, rank] = queue_.top();
      queue_.pop();
      const size_t record = order[rank];
      if (waiting_.IsWaiting(record) && nearest_[record].distance == distance) {
        return rank;
      }
    }
  }

  void Step(size_t record) {
    const size_t object = ObjectFor(record);
    assignment_.object_ids[record] = object;
    waiting_.Remove(record);
    const Gap gap = gaps_.Assign(record, object);
    const ByteRecord& added = records_[record];
    waiting_.LowerDistances(gap, added, [&](size_t other, Distance distance) {
      nearest_[other] = {distance, object};
      if (rank_[other] < stage_end_) Enqueue(other);
    });
    blocked_.clear();
    waiting_.ForEachConflict(gap, added, [&](size_t other) {
      const Nearest& nearest = nearest_[other];
      if (nearest.distance != kInfinite && nearest.object == object) {
        blocked_.push_back(other);
      }
    });
    for (const size_t other : blocked_) {
      nearest_[other] = gaps_.FindNearest(other);
      waiting_.SetDistance(other, nearest_[other].distance);
      if (rank_[other] < stage_end_) Enqueue(other);
    }
  }

  // The nearest object, grown to hold the record, or a new one.
  size_t ObjectFor(size_t record) {
    std::vector<size_t>& sizes = assignment_.object_sizes;
    const size_t size = records_[record].tensor_size;
    const Nearest& nearest = nearest_[record];
    if (nearest.distance == kInfinite) {
      gaps_.AddObject();
      sizes.push_back(size);
      return sizes.size() - 1;
    }
    sizes[nearest.object] = std::max(sizes[nearest.object], size);
    return nearest.object;
  }

  using Entry = std::pair<Distance, size_t>;  // distance, rank

  absl::Span<const ByteRecord> records_;
  FreeGaps gaps_;
  WaitingRecords waiting_;
  ObjectsAssignment<size_t> assignment_;
  std::vector<Nearest> nearest_;  // by record
  std::vector<size_t> rank_;      // by record: position by size, then index
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  size_t stage_end_ = 0;         // rank where the current stage ends
  std::vector<size_t> blocked_;  // scratch of Step
};

}  // namespace

ObjectsAssignment<size_t> AssignObjects(absl::Span<const ByteRecord> records) {
  return Assigner(records).Run();
}

}  // namespace stowage::greedy_by_size
