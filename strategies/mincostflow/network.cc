// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/network.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace stowage::mincostflow {
namespace {

// The start or the end of a record.
struct Event {
  TaskId task = 0;
  bool is_start = false;
  size_t record = 0;
  size_t round = 0;
  size_t size_class = 0;
};

std::vector<size_t> DistinctSizes(
    Span<const TensorUsageRecord<size_t>> records) {
  std::vector<size_t> sizes;
  sizes.reserve(records.size());
  for (const auto& record : records) sizes.push_back(record.tensor_size);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Returns all events with their rounds and size classes, sorted by round and
// then by size class. Within a class, all ends precede all starts, and each of
// these two sequences is sorted by task and then by record.
std::vector<Event> SortedEvents(Span<const TensorUsageRecord<size_t>> records,
                                const std::vector<size_t>& sizes) {
  std::vector<Event> events;
  events.reserve(2 * records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t size_class = static_cast<size_t>(
        std::lower_bound(sizes.begin(), sizes.end(), records[i].tensor_size) -
        sizes.begin());
    events.push_back({records[i].first_task, true, i, 0, size_class});
    events.push_back({records[i].last_task, false, i, 0, size_class});
  }
  // The starts at a task precede its ends, because the memory of a record that
  // ends at the task is free only after the task.
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::make_tuple(a.task, !a.is_start, a.record) <
           std::make_tuple(b.task, !b.is_start, b.record);
  });
  size_t round = 0;
  for (size_t i = 1; i < events.size(); ++i) {
    if (events[i - 1].is_start && !events[i].is_start) ++round;
    events[i].round = round;
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) {
                     return std::make_tuple(a.round, a.size_class, a.is_start) <
                            std::make_tuple(b.round, b.size_class, b.is_start);
                   });
  return events;
}

}  // namespace

Network BuildNetwork(Span<const TensorUsageRecord<size_t>> records) {
  Network network;
  network.class_sizes = DistinctSizes(records);
  const std::vector<Event> events = SortedEvents(records, network.class_sizes);
  network.events.reserve(events.size());
  std::vector<size_t> latest(network.class_sizes.size(), kNone);
  for (const Event& event : events) {
    std::vector<Node>& nodes = network.nodes;
    if (nodes.empty() || nodes.back().round != event.round ||
        nodes.back().size_class != event.size_class) {
      Node node;
      node.size_class = event.size_class;
      node.round = event.round;
      node.begin = node.starts = network.events.size();
      if (latest[event.size_class] != kNone) {
        nodes[latest[event.size_class]].next = nodes.size();
      }
      latest[event.size_class] = nodes.size();
      nodes.push_back(node);
    }
    network.events.push_back(event.record);
    nodes.back().end = network.events.size();
    if (!event.is_start) nodes.back().starts = network.events.size();
  }
  return network;
}

}  // namespace stowage::mincostflow
