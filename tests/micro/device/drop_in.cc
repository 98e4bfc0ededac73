// SPDX-License-Identifier: Apache-2.0
// Uses the drop-in as firmware does: calls its functions in the same order as
// the allocator of TensorFlow Lite Micro.
#include <cstddef>
#include <cstdint>

#include "stowage/micro/plan_text.h"
#include "stowage/micro/planner.h"
#include "stowage/micro/tflm_planner.h"
#include "tests/micro/declared_planner.h"
#include "tests/micro/device/device.h"

namespace {

void PrintLine(const char* line) {
  print(line);
  print("\n");
}

template <class Planner>
using DropIn =
    stowage::micro::PlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                               kTfLiteOk, kTfLiteError, PrintLine, Planner>;

alignas(16) unsigned char workspace[1024];

void ExpectPlan(tflite::MicroMemoryPlanner* planner, size_t expected) {
  EXPECT(planner->Init(workspace, sizeof(workspace)) == kTfLiteOk);
  EXPECT(planner->AddBuffer(64, 0, 1) == kTfLiteOk);
  EXPECT(planner->AddBuffer(32, 1, 2, 96) == kTfLiteOk);
  EXPECT(planner->AddBuffer(48, 2, 3) == kTfLiteOk);
  EXPECT(planner->AddBuffer(-16, 2, 3) == kTfLiteError);
  int offset = 7;
  EXPECT(planner->GetOffsetForBuffer(2, &offset) == kTfLiteOk);
  EXPECT(offset == 0);
  EXPECT(planner->GetBufferCount() == 3);
  EXPECT(planner->GetMaximumMemorySize() == expected);
  EXPECT(!planner->preserves_all_tensors());
  planner->PrintMemoryPlan();
}

}  // namespace

extern "C" void test_drop_in(void) {
  DropIn<stowage::micro::Planner> planner;
  ExpectPlan(&planner, 128);
  DropIn<stowage::micro::BestPlanner> best;
  ExpectPlan(&best, 128);
}
