// SPDX-License-Identifier: Apache-2.0
// PlannerFor is a planner for TensorFlow Lite Micro. It needs a workspace of 20
// bytes per buffer, which is half of what TensorFlow's own greedy planner
// needs. This header does not include TensorFlow's headers; TensorFlow's types
// are template arguments:
//
//   #include "stowage/micro/tflm_planner.h"
//   #include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
//
//   using SmallPlanner = stowage::micro::PlannerFor<
//       tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk, kTfLiteError>;
//   static SmallPlanner planner;
//   auto* allocator = tflite::MicroAllocator::Create(arena, size, &planner);
//
// For details, see docs/micro.md. Without TensorFlow, use planner.h.
#ifndef STOWAGE_MICRO_TFLM_PLANNER_H_
#define STOWAGE_MICRO_TFLM_PLANNER_H_

#include <cstddef>
#include <cstdint>

#include "stowage/micro/plan.h"
#include "stowage/micro/plan_text.h"
#include "stowage/micro/planner.h"

namespace stowage::micro {

// Plans the buffers of TensorFlow Lite Micro. `Base` is TensorFlow's planner
// interface, `Status` is TensorFlow's status type, and `kOk` and `kError` are
// two values of `Status`. PrintMemoryPlan() calls `kPrintLine` for each line of
// its output, or does nothing if `kPrintLine` is null or
// TF_LITE_STRIP_ERROR_STRINGS is defined. `PlannerType` is either Planner,
// which makes the same plans as the greedy planner, or BestPlanner.
//
// Unlike the greedy planner, PlannerFor returns an error for:
//   Init                a workspace of a negative size
//   AddBuffer           negative sizes, lifetimes that end before they begin,
//                       and offsets below -1
//   GetOffsetForBuffer  offline offsets that overlap (planner().witness() gives
//                       the two buffers), and an arena of more than INT_MAX
//                       bytes
template <class Base, class Status, Status kOk, Status kError,
          void (*kPrintLine)(const char* line) = nullptr,
          class PlannerType = Planner>
class PlannerFor final : public Base {
 public:
  // Removes all buffers and starts to use the given workspace. Returns an error
  // if the workspace is null or the size is negative; every AddBuffer then
  // fails.
  Status Init(unsigned char* scratch_buffer, int scratch_buffer_size) override {
    if (scratch_buffer_size < 0) scratch_buffer = nullptr;
    return Result(planner_.Init(scratch_buffer,
                                static_cast<size_t>(scratch_buffer_size), 1));
  }

  Status AddBuffer(int size, int first_time_used, int last_time_used) override {
    return Add(size, first_time_used, last_time_used, STOWAGE_MICRO_UNPLACED);
  }

  // Adds a buffer at the offset `offline_offset`. If `offline_offset` is -1,
  // the planner chooses the offset.
  Status AddBuffer(int size, int first_time_used, int last_time_used,
                   int offline_offset) override {
    if (offline_offset < -1) return kError;
    return Add(size, first_time_used, last_time_used,
               static_cast<uint32_t>(offline_offset));
  }

  // Returns the number of bytes that the plan needs, or 0 if there is no plan.
  size_t GetMaximumMemorySize() override {
    return Plan() == kOk ? planner_.total() : 0;
  }

  int GetBufferCount() override { return static_cast<int>(planner_.count()); }

  Status GetOffsetForBuffer(int buffer_index, int* offset) override {
    uint32_t bytes = 0;
    if (buffer_index < 0 || offset == nullptr || Plan() != kOk) return kError;
    if (planner_.GetOffset(static_cast<uint32_t>(buffer_index), &bytes) !=
        STOWAGE_MICRO_OK) {
      return kError;
    }
    *offset = static_cast<int>(bytes);
    return kOk;
  }

  bool preserves_all_tensors() const override { return false; }

  // Prints a line for each buffer, and then, for each task, a map of the arena.
  void PrintMemoryPlan() override {
#ifndef TF_LITE_STRIP_ERROR_STRINGS
    if constexpr (kPrintLine != nullptr) {
      if (Plan() != kOk) {
        kPrintLine("There is no plan.");
      } else if (checksum_ != Checksum()) {
        kPrintLine("The plan's workspace has been written.");
      } else {
        PrintPlan<kPrintLine>(planner_.buffers(), planner_.count());
      }
    }
#endif
  }

  // Returns the underlying planner, for access to the plan and its errors.
  const PlannerType& planner() const { return planner_; }

 private:
#ifdef TF_LITE_STATIC_MEMORY
  // Keeps the global operator delete out of the firmware. This operator is
  // never called, since planners are not allocated on a heap.
  void operator delete(void* /*object*/) {}
#endif

  static Status Result(stowage_micro_status status) {
    return status == STOWAGE_MICRO_OK ? kOk : kError;
  }

  // TensorFlow's times may be negative, but tasks may not. TaskOfTime maps
  // times to tasks and preserves their order.
  Status Add(int size, int first_time, int last_time, uint32_t offset) {
    if (size < 0) return kError;
    return Result(planner_.Add(static_cast<uint32_t>(size),
                               TaskOfTime(first_time), TaskOfTime(last_time),
                               offset));
  }

  // TensorFlow stores offsets and ends of buffers as ints, so the total must
  // fit in an int.
  Status Plan() {
    const bool was_planned = planner_.is_planned();
    if (planner_.Plan() != STOWAGE_MICRO_OK || planner_.total() > INT32_MAX) {
      return kError;
    }
#ifndef TF_LITE_STRIP_ERROR_STRINGS
    if constexpr (kPrintLine != nullptr) {
      if (!was_planned) checksum_ = Checksum();
    }
#endif
    static_cast<void>(was_planned);
    return kOk;
  }

  // Returns a checksum of the buffers from which the plan is printed. The
  // checksum reveals that other code has written to the workspace since the
  // plan was made.
  uint32_t Checksum() const {
    const auto* const bytes =
        reinterpret_cast<const unsigned char*>(planner_.buffers());
    const size_t count = planner_.count() * sizeof(stowage_micro_buffer);
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
  }

  PlannerType planner_;
  uint32_t checksum_ = 0;
};

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_TFLM_PLANNER_H_
