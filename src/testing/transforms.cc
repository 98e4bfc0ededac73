// SPDX-License-Identifier: Apache-2.0
#include "src/testing/transforms.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/random.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

std::vector<size_t> FirstToLast(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

TaskId LastTask(const Instance& instance) {
  TaskId last = 0;
  for (const ByteRecord& record : instance.records) {
    last = std::max(last, record.last_task);
  }
  return last;
}

}  // namespace

Instance Reordered(const Instance& instance, absl::Span<const size_t> order) {
  Instance result;
  for (const size_t i : order) {
    result.records.push_back(instance.records[i]);
    if (!instance.alignments.empty()) {
      result.alignments.push_back(instance.alignments[i]);
    }
  }
  return result;
}

std::vector<size_t> BackwardOrder(size_t count) {
  std::vector<size_t> order = FirstToLast(count);
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<size_t> ShuffledOrder(size_t count) {
  std::vector<size_t> order = FirstToLast(count);
  Random random(count);
  for (size_t i = 1; i < count; ++i) {
    std::swap(order[i], order[random.Below(i + 1)]);
  }
  return order;
}

absl::optional<Instance> Scaled(const Instance& instance, size_t size_factor,
                                size_t alignment_factor) {
  Instance result = instance;
  for (ByteRecord& record : result.records) {
    const auto size = CheckedMultiply(record.tensor_size, size_factor);
    if (!size) return absl::nullopt;
    record.tensor_size = *size;
  }
  if (alignment_factor != 1 && result.alignments.empty()) {
    result.alignments.assign(result.records.size(), 1);
  }
  for (size_t& alignment : result.alignments) {
    const auto scaled = CheckedMultiply(alignment, alignment_factor);
    if (!scaled) return absl::nullopt;
    alignment = *scaled;
  }
  return result;
}

Instance Reversed(const Instance& instance) {
  const TaskId end = LastTask(instance);
  Instance result = instance;
  for (ByteRecord& record : result.records) {
    record.first_task =
        end - std::exchange(record.last_task, end - record.first_task);
  }
  if (!std::is_sorted(instance.records.begin(), instance.records.end())) {
    return result;
  }
  std::vector<size_t> order = FirstToLast(result.records.size());
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return result.records[a] < result.records[b];
  });
  return Reordered(result, order);
}

Instance WithLongRecord(const Instance& instance) {
  ByteRecord added = instance.records.front();
  for (const ByteRecord& record : instance.records) {
    added.tensor_size = std::max(added.tensor_size, record.tensor_size);
    added.first_task = std::min(added.first_task, record.first_task);
    added.last_task = std::max(added.last_task, record.last_task);
  }
  Instance result = instance;
  result.records.insert(result.records.begin(), added);
  if (!result.alignments.empty()) {
    result.alignments.insert(result.alignments.begin(),
                             instance.alignments.front());
  }
  return result;
}

Instance Without(const Instance& instance, size_t i) {
  std::vector<size_t> others = FirstToLast(instance.records.size());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  return Reordered(instance, others);
}

absl::optional<Instance> Shifted(const Instance& instance, TaskId later) {
  if (!CheckedAdd(LastTask(instance), later)) return absl::nullopt;
  Instance result = instance;
  for (ByteRecord& record : result.records) {
    record.first_task += later;
    record.last_task += later;
  }
  return result;
}

}  // namespace stowage::testing
