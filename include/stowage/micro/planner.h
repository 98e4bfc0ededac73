// SPDX-License-Identifier: Apache-2.0
// stowage::micro::Planner plans buffers that are added one by one. The class
// makes the plan when the first offset is requested, in a workspace that the
// caller provides. The class is C++17 for devices: it needs no heap, no
// exceptions, no RTTI and no static initialization. In C, or if the buffers are
// already in an array, use plan.h; on a host, use stowage/planner.h.
//
//   alignas(4) static unsigned char workspace[20 * 64];  // for 64 buffers
//   stowage::micro::Planner planner;
//   planner.Init(workspace, sizeof(workspace), 16);
//   planner.Add(4096, 0, 1);
//   planner.Add(1024, 1, 2);
//   uint32_t offset;
//   if (planner.GetOffset(1, &offset) == STOWAGE_MICRO_OK) {
//     // it lies at `offset` in an arena of planner.total() bytes
//   }
#ifndef STOWAGE_MICRO_PLANNER_H_
#define STOWAGE_MICRO_PLANNER_H_

#include <cstddef>
#include <cstdint>

#include "stowage/micro/plan.h"
#include "stowage/micro/status.h"

namespace stowage::micro {

// Plans buffers that are added one by one. `kPlan` is stowage_micro_plan or
// stowage_micro_plan_best. Use the aliases Planner and BestPlanner below.
template <decltype(stowage_micro_plan)* kPlan>
class PlannerBy {
 public:
  // The value of the elements of witness() if there is no buffer to report.
  static constexpr uint32_t kNoBuffer = UINT32_MAX;

  // Bytes of workspace for each buffer.
  static constexpr uint32_t kBytesPerBuffer =
      uint32_t{sizeof(stowage_micro_buffer)} + STOWAGE_MICRO_WORKSPACE_BYTES(1);

  // Removes all buffers, and starts to use a workspace of `bytes` bytes. Each
  // buffer needs kBytesPerBuffer bytes of the workspace, starting at the first
  // address that is a multiple of 4. Offsets will be multiples of `alignment`.
  //
  // The workspace holds the buffers and their plan. If other code writes to the
  // workspace, buffers and offsets are unspecified until the next Init(), but
  // no function reads or writes outside of the workspace.
  //
  // Error: BAD_WORKSPACE if `workspace` is null; every later Add() then fails.
  stowage_micro_status Init(void* workspace, size_t bytes, uint32_t alignment) {
    constexpr size_t kAlignment = alignof(stowage_micro_buffer);
    const size_t misaligned =
        reinterpret_cast<uintptr_t>(workspace) % kAlignment;
    const size_t skipped = misaligned == 0 ? 0 : kAlignment - misaligned;
    buffers_ = nullptr;
    capacity_ = count_ = total_ = 0;
    witness_[0] = witness_[1] = kNoBuffer;
    is_planned_ = false;
    alignment_ = alignment;
    if (workspace == nullptr) return STOWAGE_MICRO_BAD_WORKSPACE;
    if (bytes < skipped) return STOWAGE_MICRO_OK;
    const size_t max = (bytes - skipped) / kBytesPerBuffer;
    capacity_ = max < STOWAGE_MICRO_MAX_BUFFERS ? static_cast<uint32_t>(max)
                                                : STOWAGE_MICRO_MAX_BUFFERS;
    buffers_ = reinterpret_cast<stowage_micro_buffer*>(
        static_cast<unsigned char*>(workspace) + skipped);
    return STOWAGE_MICRO_OK;
  }

  // Adds a buffer. If `offset` is given, the buffer is fixed at this offset.
  // Both tasks are inclusive. Discards an existing plan.
  //
  // Errors: TOO_MANY_BUFFERS if the workspace is full; REVERSED_LIFETIME. All
  // other errors of a buffer are reported only by Plan() or GetOffset(), when
  // the plan is made.
  stowage_micro_status Add(uint32_t size, uint32_t first_task,
                           uint32_t last_task,
                           uint32_t offset = STOWAGE_MICRO_UNPLACED) {
    if (count_ == capacity_) return STOWAGE_MICRO_TOO_MANY_BUFFERS;
    if (first_task > last_task) return STOWAGE_MICRO_REVERSED_LIFETIME;
    if (is_planned_) stowage_micro_unplan(buffers_, count_, numbers());
    is_planned_ = false;
    buffers_[count_++] = {size, first_task, last_task, offset};
    return STOWAGE_MICRO_OK;
  }

  // Plans all buffers. Does nothing if an up-to-date plan exists. Errors: those
  // of stowage_micro_plan(); witness() then returns the buffers that caused the
  // error.
  stowage_micro_status Plan() {
    if (is_planned_) return STOWAGE_MICRO_OK;
    const stowage_micro_status status =
        kPlan(buffers_, count_, alignment_, numbers(),
              STOWAGE_MICRO_WORKSPACE_BYTES(count_), &total_);
    is_planned_ = status == STOWAGE_MICRO_OK;
    if (!is_planned_) total_ = 0;
    // If the check does not find the same error, no particular buffer caused
    // the error.
    if (is_planned_ || stowage_micro_check(buffers_, count_, alignment_,
                                           UINT32_MAX, witness_) != status) {
      witness_[0] = witness_[1] = kNoBuffer;
    }
    return status;
  }

  // Sets *offset to the offset of a buffer. Buffers are numbered from 0 in the
  // order in which they were added. Errors: those of Plan(); UNPLACED_BUFFER if
  // `index` is not below count().
  stowage_micro_status GetOffset(uint32_t index, uint32_t* offset) {
    const stowage_micro_status status = Plan();
    if (status != STOWAGE_MICRO_OK) return status;
    if (index >= count_) return STOWAGE_MICRO_UNPLACED_BUFFER;
    *offset = buffers_[index].offset;
    return STOWAGE_MICRO_OK;
  }

  // Returns the number of bytes that the arena of the last plan needs, or 0 if
  // there is no plan. total(), count(), is_planned() and witness() do not read
  // the workspace.
  uint32_t total() const { return total_; }
  uint32_t count() const { return count_; }
  bool is_planned() const { return is_planned_; }

  // If the last plan was refused, returns the two buffers that caused the
  // error, by index. If two buffers overlap, the lower index comes first. If a
  // single buffer caused the error, both elements are its index. Both elements
  // are kNoBuffer if the last plan was not refused, if there was no plan yet,
  // or if no particular buffer caused the error (the arena exceeds 2^32 - 1
  // bytes, or the alignment is invalid).
  const uint32_t* witness() const { return witness_; }

  // Returns the buffers in the order in which they were added.
  const stowage_micro_buffer* buffers() const { return buffers_; }

 private:
  void* numbers() const { return buffers_ + count_; }

  stowage_micro_buffer* buffers_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t count_ = 0;
  uint32_t total_ = 0;
  uint32_t alignment_ = 1;
  uint32_t witness_[2] = {kNoBuffer, kNoBuffer};
  bool is_planned_ = false;
};

// Makes the plans of TensorFlow Lite Micro's greedy planner.
using Planner = PlannerBy<stowage_micro_plan>;

// Keeps the smallest of several plans, which is never larger than the plan of
// Planner.
using BestPlanner = PlannerBy<stowage_micro_plan_best>;

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_PLANNER_H_
