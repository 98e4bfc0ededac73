// SPDX-License-Identifier: Apache-2.0
// Provides a host for tests of the adapter for OpenVINO. Declares
// ov::MemorySolver and implements its rule: the largest boxes are placed first,
// and each box is placed as low as possible. If STOWAGE_OPENVINO_HEADERS is
// set, OpenVINO's own class is used instead.
#ifndef STOWAGE_TESTS_ADAPTERS_OPENVINO_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_OPENVINO_HOST_H_

#ifdef STOWAGE_OPENVINO_HEADERS
#include "openvino/runtime/memory_solver.hpp"
#else
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ov {

class MemorySolver {
 public:
  struct Box {
    int start;
    int finish;  // -1 is the end of all boxes
    int64_t size;
    int64_t id;
  };

  explicit MemorySolver(const std::vector<Box>& boxes) : boxes_(boxes) {
    normalize_boxes(boxes_);
  }

  // In contrast to the host, this model does not renumber the times.
  static int normalize_boxes(std::vector<Box>& boxes) {
    int last = 0;
    for (const Box& box : boxes) last = std::max({last, box.start, box.finish});
    for (Box& box : boxes) {
      if (box.finish == -1) box.finish = last;
    }
    return last + 1;
  }

  int64_t solve() {
    std::stable_sort(
        boxes_.begin(), boxes_.end(),
        [](const Box& a, const Box& b) { return a.size > b.size; });
    std::vector<std::pair<const Box*, int64_t>> placed;  // with their offsets
    int64_t size = 0;
    for (const Box& box : boxes_) {
      int64_t offset = 0;
      for (size_t i = 0; i < placed.size(); ++i) {
        const auto& [other, begin] = placed[i];
        const bool conflict =
            box.start <= other->finish && other->start <= box.finish;
        if (!conflict || offset + box.size <= begin ||
            begin + other->size <= offset) {
          continue;
        }
        offset = begin + other->size;
        i = static_cast<size_t>(-1);  // from the first one again
      }
      placed.emplace_back(&box, offset);
      offsets_[box.id] = offset;
      size = std::max(size, offset + box.size);
    }
    return size;
  }

  int64_t get_offset(int id) const {
    const auto offset = offsets_.find(id);
    if (offset == offsets_.end()) throw std::out_of_range("no such box");
    return offset->second;
  }

  int64_t max_depth() { return DepthOf(/*counts_sizes=*/true); }
  int64_t max_top_depth() { return DepthOf(/*counts_sizes=*/false); }

 private:
  int64_t DepthOf(bool counts_sizes) const {
    int64_t most = 0;
    for (const Box& at : boxes_) {
      int64_t sum = 0;
      for (const Box& box : boxes_) {
        if (box.start > at.start || box.finish < at.start) continue;
        sum += counts_sizes ? box.size : 1;
      }
      most = std::max(most, sum);
    }
    return most;
  }

  std::vector<Box> boxes_;
  std::map<int64_t, int64_t> offsets_;
};

}  // namespace ov
#endif

#endif  // STOWAGE_TESTS_ADAPTERS_OPENVINO_HOST_H_
