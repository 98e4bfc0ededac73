// SPDX-License-Identifier: Apache-2.0
// Declares the interface of TensorFlow Lite Micro that PlannerFor implements,
// so that tests do not need the sources of TensorFlow Lite Micro. If
// STOWAGE_TFLM_HEADER is defined, includes TensorFlow Lite Micro's own header
// instead.
#ifndef STOWAGE_TESTS_MICRO_DECLARED_PLANNER_H_
#define STOWAGE_TESTS_MICRO_DECLARED_PLANNER_H_

#ifdef STOWAGE_TFLM_HEADER
#include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
#else

#include <cstddef>

enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 };

namespace tflite {

class MicroMemoryPlanner {
 public:
  MicroMemoryPlanner() = default;
  virtual ~MicroMemoryPlanner() = default;

  virtual TfLiteStatus Init(unsigned char* /*scratch_buffer*/,
                            int /*scratch_buffer_size*/) {
    return kTfLiteOk;
  }
  virtual TfLiteStatus AddBuffer(int size, int first_time_used,
                                 int last_time_used) = 0;
  virtual TfLiteStatus AddBuffer(int /*size*/, int /*first_time_used*/,
                                 int /*last_time_used*/,
                                 int /*offline_offset*/) {
    return kTfLiteError;
  }
  virtual size_t GetMaximumMemorySize() = 0;
  virtual int GetBufferCount() = 0;
  virtual TfLiteStatus GetOffsetForBuffer(int buffer_index, int* offset) = 0;
  virtual bool preserves_all_tensors() const = 0;
  virtual void PrintMemoryPlan() {}

#ifdef TF_LITE_STATIC_MEMORY
 private:
  void operator delete(void* /*object*/) {}
#endif
};

}  // namespace tflite

#endif  // STOWAGE_TFLM_HEADER

#endif  // STOWAGE_TESTS_MICRO_DECLARED_PLANNER_H_
