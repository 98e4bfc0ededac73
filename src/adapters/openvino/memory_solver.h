// SPDX-License-Identifier: Apache-2.0
// Defines a class with the interface of OpenVINO's ov::MemorySolver. The class
// also runs ov::MemorySolver, and keeps the smaller plan.
//
// Use it in place of ov::MemorySolver, which is its template parameter:
//
//   stowage::adapters::MemorySolver<ov::MemorySolver> solver(boxes);
//   const int64_t size = solver.solve();
//   const int64_t offset = solver.get_offset(id);
//
// For a runtime with usage records, use beside_host.h.
//
// The interval of a box is inclusive at both ends, as in Stowage; a finish of
// -1 means the largest start or finish of any box. Sizes may be in any unit.
// There is no alignment, because callers divide the sizes by the alignment.
//
// If several boxes have the same id, the offset of this id is that of the
// smallest of these boxes. This is also the offset that the host returns,
// because the host places the smallest of these boxes last. The adapter gives
// the boxes new ids before it calls the host, so that the host returns an
// offset for each box.
#ifndef STOWAGE_ADAPTERS_OPENVINO_MEMORY_SOLVER_H_
#define STOWAGE_ADAPTERS_OPENVINO_MEMORY_SOLVER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

// Converts boxes to records. Returns nullopt if a box ends before it starts or
// has a negative size. Requires that no box starts before 0. O(n).
template <typename Box>
optional<std::vector<ByteRecord>> RecordsOfBoxes(
    const std::vector<Box>& boxes) {
  int last = 0;
  for (const Box& box : boxes) last = std::max({last, box.start, box.finish});
  std::vector<ByteRecord> records;
  for (const Box& box : boxes) {
    const int finish = box.finish == -1 ? last : box.finish;
    if (finish < box.start || box.size < 0) return nullopt;
    records.push_back({static_cast<size_t>(box.size),
                       static_cast<TaskId>(box.start),
                       static_cast<TaskId>(finish)});
  }
  return records;
}

// Not thread-safe, like the host's class.
template <typename HostSolver>
class MemorySolver {
 public:
  using Box = typename HostSolver::Box;

  // Throws std::invalid_argument if a box starts before 0, because the host
  // would write outside of its memory.
  explicit MemorySolver(const std::vector<Box>& boxes,
                        BesideHostOptions options = {})
      : boxes_(Checked(boxes)),
        options_(std::move(options)),
        records_(RecordsOfBoxes(boxes)),
        host_(records_ ? Numbered(boxes) : boxes) {}

  // Changes the boxes as the host's function of this name does.
  static int normalize_boxes(std::vector<Box>& boxes) {
    return HostSolver::normalize_boxes(boxes);
  }

  // Returns the size of the memory. The first call makes the plan. If Stowage
  // cannot express the boxes, only the host plans them. Throws
  // std::runtime_error if the host's plan is unsafe and there is no other plan.
  // If the first call throws an exception, including one of the host, all later
  // calls throw the same exception, since the host can plan only once.
  int64_t solve() {
    if (failure_) std::rethrow_exception(failure_);
    if (is_solved_) return size_;
    try {
      size_ = Plan();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
    is_solved_ = true;
    return size_;
  }

  // Returns the offset of the box with this id. If there is no such box, throws
  // the same exception as the host.
  int64_t get_offset(int id) const {
    if (!records_) return host_.get_offset(id);
    const auto offset = offsets_.find(id);
    // The host received boxes with ids from 0 on, so it throws for the id -1.
    return offset != offsets_.end() ? offset->second : host_.get_offset(-1);
  }

  // Return the host's results, which are the same before and after solve(): the
  // maximum total size of the boxes that are live at the same time, and the
  // maximum number of such boxes.
  int64_t max_depth() { return host_.max_depth(); }
  int64_t max_top_depth() { return host_.max_top_depth(); }

  // Returns the violation that solve() found in the host's plan, if any.
  const optional<Violation>& host_violation() const { return host_violation_; }

 private:
  static constexpr size_t kMax =
      static_cast<size_t>(std::numeric_limits<int64_t>::max());

  static const std::vector<Box>& Checked(const std::vector<Box>& boxes) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].start >= 0) continue;
      throw std::invalid_argument("box " + std::to_string(i) + ": start " +
                                  std::to_string(boxes[i].start) +
                                  "; expected 0 or above");
    }
    return boxes;
  }

  static std::vector<Box> Numbered(std::vector<Box> boxes) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].id = static_cast<int>(i);
    }
    return boxes;
  }

  // Returns the size of the memory, and sets the offsets and the violation of
  // the host's plan.
  int64_t Plan() {
    const int64_t host_size = host_.solve();
    if (!records_) return host_size;
    ProblemSpec spec;
    spec.records = *records_;
    const OffsetsAssignment host = HostPlan(host_size);
    StatusOr<BesideHost> best =
        PlanBesideHost(std::move(spec), &host, options_);
    if (best.ok() && best->plan.total_size > kMax) {
      best = UnimplementedError("the memory has more than 2^63 - 1 bytes");
    }
    if (!best.ok()) {
      host_violation_ = ViolationOf(best.status());
      throw std::runtime_error(best.status().ToString());
    }
    host_violation_ = std::move(best->host_violation);
    SetOffsets(best->plan.offsets);
    return static_cast<int64_t>(best->plan.total_size);
  }

  OffsetsAssignment HostPlan(int64_t size) const {
    OffsetsAssignment plan;
    plan.total_size = static_cast<size_t>(size);
    for (size_t i = 0; i < boxes_.size(); ++i) {
      plan.offsets.push_back(
          static_cast<size_t>(host_.get_offset(static_cast<int>(i))));
    }
    return plan;
  }

  // Sets the offset of each id. If several boxes have the same id, the id gets
  // the offset of the smallest of them or, if several are equally small, of the
  // last of those in the list.
  void SetOffsets(const std::vector<size_t>& offsets) {
    std::vector<size_t> order(boxes_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return boxes_[a].size > boxes_[b].size;
    });
    for (const size_t i : order) {
      offsets_[boxes_[i].id] = static_cast<int64_t>(offsets[i]);
    }
  }

  std::vector<Box> boxes_;
  BesideHostOptions options_;
  optional<std::vector<ByteRecord>> records_;
  HostSolver host_;
  std::map<int64_t, int64_t> offsets_;
  optional<Violation> host_violation_;
  int64_t size_ = 0;
  bool is_solved_ = false;
  std::exception_ptr failure_;
};

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_OPENVINO_MEMORY_SOLVER_H_
