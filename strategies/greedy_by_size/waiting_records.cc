// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_size/waiting_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>

#include "stowage/base/span.h"

namespace stowage::greedy_by_size {

WaitingRecords::WaitingRecords(Span<const ByteRecord> records)
    : records_(records),
      record_(records.size()),
      position_(records.size()),
      bound_(records.size(), 0) {
  std::iota(record_.begin(), record_.end(), uint32_t{0});
  while (leaves_ * kBlock < records.size()) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
}

bool WaitingRecords::Prepare(const StopSignal& stop) {
  if (records_.empty()) return true;
  if (!Build(stop, 1, 0, leaves_, /*by_first=*/true)) return false;
  for (size_t p = 0; p < record_.size(); ++p) {
    position_[record_[p]] = static_cast<uint32_t>(p);
  }
  return true;
}

bool WaitingRecords::Build(const StopSignal& stop, size_t node, size_t leaf,
                           size_t width, bool by_first) {
  if (width >= kLeavesPerPoll && stop.IsSet()) return false;
  if (width == 1) {
    Node& sum = nodes_[node];
    const ByteRecord& any = records_[record_[BlockBegin(leaf)]];
    sum.least_first = sum.greatest_first = any.first_task;
    sum.least_last = sum.greatest_last = any.last_task;
    for (size_t p = BlockBegin(leaf); p < BlockBegin(leaf + 1); ++p) {
      const ByteRecord& record = records_[record_[p]];
      sum.least_first = std::min(sum.least_first, record.first_task);
      sum.greatest_first = std::max(sum.greatest_first, record.first_task);
      sum.least_last = std::min(sum.least_last, record.last_task);
      sum.greatest_last = std::max(sum.greatest_last, record.last_task);
    }
    return true;
  }
  const auto at = [&](size_t block) {
    return std::next(record_.begin(),
                     static_cast<ptrdiff_t>(BlockBegin(block)));
  };
  std::nth_element(at(leaf), at(leaf + width / 2), at(leaf + width),
                   [&](uint32_t a, uint32_t b) {
                     const TaskId x = by_first ? records_[a].first_task
                                               : records_[a].last_task;
                     const TaskId y = by_first ? records_[b].first_task
                                               : records_[b].last_task;
                     return x != y ? x < y : a < b;
                   });
  if (!Build(stop, 2 * node, leaf, width / 2, !by_first) ||
      !Build(stop, 2 * node + 1, leaf + width / 2, width / 2, !by_first)) {
    return false;
  }
  const Node& left = nodes_[2 * node];
  const Node& right = nodes_[2 * node + 1];
  Node& sum = nodes_[node];
  sum.least_first = std::min(left.least_first, right.least_first);
  sum.greatest_first = std::max(left.greatest_first, right.greatest_first);
  sum.least_last = std::min(left.least_last, right.least_last);
  sum.greatest_last = std::max(left.greatest_last, right.greatest_last);
  return true;
}

void WaitingRecords::SumUpLeaf(size_t node) {
  const size_t leaf = node - leaves_;
  Distance greatest = 0;
  for (size_t p = BlockBegin(leaf); p < BlockBegin(leaf + 1); ++p) {
    greatest = std::max(greatest, bound_[p]);
  }
  nodes_[node].greatest_bound = greatest;
}

void WaitingRecords::SumUpChildren(size_t node) {
  nodes_[node].greatest_bound = std::max(nodes_[2 * node].greatest_bound,
                                         nodes_[2 * node + 1].greatest_bound);
}

void WaitingRecords::SetBound(size_t record, Distance bound) {
  const size_t position = position_[record];
  bound_[position] = bound;
  // Finds the leaf that contains the position. The first guess may be too low,
  // because BlockBegin rounds down.
  size_t leaf = position * leaves_ / records_.size();
  while (BlockBegin(leaf + 1) <= position) ++leaf;
  size_t node = leaves_ + leaf;
  SumUpLeaf(node);
  for (node /= 2; node >= 1; node /= 2) SumUpChildren(node);
}

}  // namespace stowage::greedy_by_size
