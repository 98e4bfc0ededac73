// SPDX-License-Identifier: Apache-2.0
// stowage::micro::Planner plans buffers that are added one by one. It makes the
// plan when the first offset is requested, in a workspace that the caller
// provides. The class is for C++17 on devices: it needs no heap, no exceptions,
// no type information and no static initialisation. In C, or if the records are
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
// stowage_micro_plan_best; use the names Planner and BestPlanner below.
template <decltype(stowage_micro_plan)* kPlan>
class PlannerBy {
 public:
  // The value of witness() that is not a buffer.
  static constexpr uint32_t kNoBuffer = UINT32_MAX;

  // Bytes of workspace for each buffer.
  static constexpr uint32_t kBytesPerBuffer =
      uint32_t{sizeof(stowage_micro_buffer)} + STOWAGE_MICRO_WORKSPACE_BYTES(1);

  // Forgets all buffers and uses a workspace of `bytes` bytes. Each buffer
  // takes kBytesPerBuffer of it, from the first address that is a multiple of
  // 4. Offsets will be multiples of `alignment`.
  //
  // The workspace holds the buffers and their plan. If anything else writes to
  // it, buffers and offsets are unspecified until the next Init(); even then no
  // function reads or writes outside of it.
  //
  // Error: BAD_WORKSPACE if `workspace` is null; no buffer can be added then.
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

  // Adds a buffer, at a fixed offset if one is given. Both tasks are inclusive.
  // An existing plan is discarded.
  //
  // Errors: TOO_MANY_BUFFERS if the workspace is full; REVERSED_LIFETIME. All
  // other faults of a buffer are detected only when the plan is made, by Plan()
  // or GetOffset().
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

  // Plans all buffers, unless a plan of all of them already exists. Errors:
  // those of stowage_micro_plan(); witness() then names the buffers.
  stowage_micro_status Plan() {
    if (is_planned_) return STOWAGE_MICRO_OK;
    const stowage_micro_status status =
        kPlan(buffers_, count_, alignment_, numbers(),
              STOWAGE_MICRO_WORKSPACE_BYTES(count_), &total_);
    is_planned_ = status == STOWAGE_MICRO_OK;
    if (!is_planned_) total_ = 0;
    // If the check does not find the same error, the error concerns no single
    // buffer.
    if (is_planned_ || stowage_micro_check(buffers_, count_, alignment_,
                                           UINT32_MAX, witness_) != status) {
      witness_[0] = witness_[1] = kNoBuffer;
    }
    return status;
  }

  // Sets *offset to the offset of a buffer. Buffers are numbered from 0 in the
  // order in which they were added. Errors: those of Plan(); UNPLACED_BUFFER if
  // there is no such buffer.
  stowage_micro_status GetOffset(uint32_t index, uint32_t* offset) {
    const stowage_micro_status status = Plan();
    if (status != STOWAGE_MICRO_OK) return status;
    if (index >= count_) return STOWAGE_MICRO_UNPLACED_BUFFER;
    *offset = buffers_[index].offset;
    return STOWAGE_MICRO_OK;
  }

  // Returns the bytes of the arena of the last plan, or 0 if there is none. The
  // functions total(), count(), is_planned() and witness() do not read the
  // workspace.
  uint32_t total() const { return total_; }
  uint32_t count() const { return count_; }
  bool is_planned() const { return is_planned_; }

  // Returns two numbers of buffers, counted from 0: the buffers because of
  // which the last plan was refused. If two buffers overlap, the lower number
  // comes first. If a single buffer is the reason, both numbers are the same.
  // If no buffer is the reason (the arena exceeds 2^32 - 1 bytes, or the
  // alignment is invalid), if the plan was not refused, or if there was no plan
  // yet, both numbers are kNoBuffer.
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

// Makes the smallest of several plans, which is never larger than that of
// Planner.
using BestPlanner = PlannerBy<stowage_micro_plan_best>;

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_PLANNER_H_
