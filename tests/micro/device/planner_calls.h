// SPDX-License-Identifier: Apache-2.0
// Defines types for recorded calls of TensorFlow Lite Micro's planners and the
// answers to these calls. write_tables.cc generates tables of these types.
#ifndef STOWAGE_TESTS_MICRO_DEVICE_PLANNER_CALLS_H_
#define STOWAGE_TESTS_MICRO_DEVICE_PLANNER_CALLS_H_

#include <climits>
#include <cstdint>

#include "tests/micro/declared_planner.h"

enum Operation { k_init, k_add, k_add_offline, k_get, k_max, k_count, k_print };

constexpr int32_t kNone = INT_MIN;

struct Call {
  Operation operation;
  int32_t workspace, buffer, size, first, last, offset;
  int32_t answer;  // 1 for success, kNone for no offset
  const char* text;
};

struct Sequence {
  uint32_t first, count;  // of calls
  bool overlap;           // true if offline offsets overlap
  uint32_t first_row, rows;
};

inline int32_t Succeeds(TfLiteStatus status) {
  return status == kTfLiteOk ? 1 : 0;
}

// Makes the call and returns the answer. The call must not be k_print. The
// workspace in the call was sized for TensorFlow Lite Micro's greedy planner.
// `planner` gets half of it, because the drop-in needs half as much for each
// buffer.
inline int32_t AnswerOf(tflite::MicroMemoryPlanner* planner, const Call& call,
                        unsigned char* workspace) {
  int offset = 0;
  switch (call.operation) {
    case k_init:
      return Succeeds(planner->Init(workspace, call.workspace / 2));
    case k_add:
      return Succeeds(planner->AddBuffer(call.size, call.first, call.last));
    case k_add_offline:
      return Succeeds(
          planner->AddBuffer(call.size, call.first, call.last, call.offset));
    case k_get:
      return planner->GetOffsetForBuffer(call.buffer, &offset) == kTfLiteOk
                 ? offset
                 : kNone;
    case k_max:
      return static_cast<int32_t>(planner->GetMaximumMemorySize());
    case k_count:
      return planner->GetBufferCount();
    case k_print:
      break;
  }
  return kNone;
}

#endif  // STOWAGE_TESTS_MICRO_DEVICE_PLANNER_CALLS_H_
