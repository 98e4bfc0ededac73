// SPDX-License-Identifier: Apache-2.0
// The drop-in on the device: call by call what the original's greedy planner
// answers, texts byte for byte, and what is refused instead.
#include <climits>
#include <cstddef>
#include <cstdint>

#include "stowage/micro/tflm_planner.h"
#include "tests/micro/declared_planner.h"
#include "tests/micro/device/device.h"

namespace {

enum Operation { k_init, k_add, k_add_offline, k_get, k_max, k_count, k_print };

constexpr int32_t kNone = INT_MIN;

struct Call {
  Operation operation;
  int32_t workspace, buffer, size, first, last, offset;
  int32_t answer;  // 1 for success, kNone for no offset
  const char* text;
};

struct Sequence {
  int first, count;
  bool overlap;
};

// Written by write_tables.cc, with types of this source.
#include "tests/micro/device/planner_vectors.inc"

// What is left of the text to be printed.
const char* expected_text = nullptr;
bool is_printed_alike = true;

void CompareLine(const char* line) {
  for (; *line != '\0'; ++line) {
    is_printed_alike = is_printed_alike && *expected_text == *line;
    if (is_printed_alike) ++expected_text;
  }
  is_printed_alike = is_printed_alike && *expected_text == '\n';
  if (is_printed_alike) ++expected_text;
}

using DropIn =
    stowage::micro::PlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                               kTfLiteOk, kTfLiteError, CompareLine>;

alignas(16) unsigned char workspace[512 * 1024];

int32_t Succeeds(TfLiteStatus status) { return status == kTfLiteOk ? 1 : 0; }

int32_t Answer(DropIn* planner, const Call& call) {
  int offset = 0;
  switch (call.operation) {
    case k_init:  // in half of the original's workspace
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
      expected_text = call.text;
      is_printed_alike = true;
      planner->PrintMemoryPlan();
      return is_printed_alike && *expected_text == '\0' ? 0 : 1;
  }
  return kNone;
}

void ExpectAnswers(const Sequence& sequence) {
  DropIn planner;
  for (int i = 0; i < sequence.count; ++i) {
    const Call& call = kCalls[sequence.first + i];
    const int32_t answer = Answer(&planner, call);
    if (call.operation == k_add_offline && call.offset < -1) {
      EXPECT(answer == 0);
      return;  // the original goes on with it
    }
    if (!sequence.overlap) {
      EXPECT(answer == call.answer);
    } else if (call.operation == k_get) {
      EXPECT(answer == kNone);
    }
  }
  if (sequence.overlap) {
    const uint32_t* const witness = planner.planner().witness();
    EXPECT(witness[0] < witness[1]);
    EXPECT(witness[1] < planner.planner().count());
  }
}

}  // namespace

extern "C" void test_planner_calls(void) {
  for (const Sequence& sequence : kSequences) ExpectAnswers(sequence);
  EXPECT(kSequenceCount == 60);
}
