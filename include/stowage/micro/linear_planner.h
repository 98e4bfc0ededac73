// SPDX-License-Identifier: Apache-2.0
// LinearPlannerFor gives every buffer of TensorFlow Lite Micro separate memory,
// so that each tensor can be examined after the model has run. To save memory,
// use tflm_planner.h or table_planner.h instead.
//
// The head of the arena is as large as all buffers together. For the model
// vww_96_i8, the head needs 259,744 bytes without sharing but only 55,296 with
// a plan that shares memory; for hello_world_i8, it needs 64 bytes without
// sharing and 32 with sharing. The numbers without sharing were measured with
// TensorFlow's own linear planner, which chooses the same offsets.
//
//   using DebugPlanner = stowage::micro::LinearPlannerFor<
//       tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk, kTfLiteError>;
//   static DebugPlanner planner;
//   auto* allocator = tflite::MicroAllocator::Create(arena, size, &planner);
#ifndef STOWAGE_MICRO_LINEAR_PLANNER_H_
#define STOWAGE_MICRO_LINEAR_PLANNER_H_

#include <cstddef>
#include <cstdint>

namespace stowage::micro {

// Gives every buffer separate memory. `Base` is TensorFlow's planner interface,
// `Status` is TensorFlow's status type, and `kOk` and `kError` are two values
// of `Status`. The object has 4 bytes for each of `kMaxBuffers` buffers, and
// needs no workspace. A refused call changes nothing.
template <class Base, class Status, Status kOk, Status kError,
          int kMaxBuffers = 1024>
class LinearPlannerFor final : public Base {
 public:
  static_assert(kMaxBuffers > 0, "a planner needs room for a buffer");

  // Forgets all buffers.
  Status Init(unsigned char* /*scratch_buffer*/,
              int /*scratch_buffer_size*/) override {
    count_ = 0;
    return kOk;
  }

  // Adds a buffer after all others. Returns an error if there would be more
  // than `kMaxBuffers` buffers, if the size is negative, or if the arena would
  // be larger than INT_MAX bytes.
  Status AddBuffer(int size, int /*first_time_used*/,
                   int /*last_time_used*/) override {
    const int32_t begin = BeginOf(count_);
    if (count_ == kMaxBuffers || size < 0 || size > INT32_MAX - begin) {
      return kError;
    }
    ends_[count_++] = begin + size;
    return kOk;
  }

  // Always returns an error. A buffer that has an offset in the model's plan
  // must be at that offset, but this planner cannot place a buffer at a given
  // offset.
  Status AddBuffer(int /*size*/, int /*first_time_used*/,
                   int /*last_time_used*/, int /*offline_offset*/) override {
    return kError;
  }

  size_t GetMaximumMemorySize() override {
    return static_cast<size_t>(BeginOf(count_));
  }

  int GetBufferCount() override { return count_; }

  // Sets *offset to the offset of a buffer. Returns an error if the buffer does
  // not exist or `offset` is null.
  Status GetOffsetForBuffer(int buffer_index, int* offset) override {
    if (buffer_index < 0 || buffer_index >= count_ || offset == nullptr) {
      return kError;
    }
    *offset = BeginOf(buffer_index);
    return kOk;
  }

  bool preserves_all_tensors() const override { return true; }

 private:
#ifdef TF_LITE_STATIC_MEMORY
  // Keeps the global operator delete out of the firmware. This operator is
  // never called, since planners are not allocated on a heap.
  void operator delete(void* /*object*/) {}
#endif

  int32_t BeginOf(int index) const { return index == 0 ? 0 : ends_[index - 1]; }

  int count_ = 0;
  int32_t ends_[kMaxBuffers];  // the ends of the first `count_` buffers
};

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_LINEAR_PLANNER_H_
