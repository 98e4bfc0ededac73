// SPDX-License-Identifier: Apache-2.0
// Compares the drop-in, on the device, with the greedy planner of TensorFlow
// Lite Micro. The answers to all calls and the printed texts must be equal,
// byte for byte. Also tests calls that the greedy planner accepts but the
// drop-in must refuse.
#include "tests/micro/device/planner_calls.h"

#include <cstddef>
#include <cstdint>

#include "stowage/micro/tflm_planner.h"
#include "tests/micro/declared_planner.h"
#include "tests/micro/device/device.h"

namespace {

// This file is written by write_tables.cc.
#include "tests/micro/device/greedy_vectors.inc"

// The part of the expected text that has not been printed yet.
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

// Returns 0 if the planner prints exactly `text`, and otherwise 1.
int32_t Print(DropIn* planner, const char* text) {
  expected_text = text;
  is_printed_alike = true;
  planner->PrintMemoryPlan();
  return is_printed_alike && *expected_text == '\0' ? 0 : 1;
}

void ExpectAnswers(const Sequence& sequence) {
  DropIn planner;
  for (uint32_t i = 0; i < sequence.count; ++i) {
    const Call& call = kGreedyCalls[sequence.first + i];
    const int32_t answer = call.operation == k_print
                               ? Print(&planner, call.text)
                               : AnswerOf(&planner, call, workspace);
    if (call.operation == k_add_offline && call.offset < -1) {
      EXPECT(answer == 0);
      return;  // the original accepts this offset
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
  int sequences = 0;
  for (const Sequence& sequence : kGreedySequences) {
    ExpectAnswers(sequence);
    ++sequences;
  }
  EXPECT(sequences == 60);
}
