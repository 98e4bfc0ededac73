// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite Micro with a plan from the host.
#include <cstdint>

#include "docs/micro_example/keyword_plan.h"
#include "stowage/micro/table_planner.h"
#include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/schema/schema_generated.h"

TfLiteStatus RunKeyword(const uint8_t* file, uint32_t bytes,
                        const tflite::MicroOpResolver& resolver);

using TablePlanner =
    stowage::micro::TablePlannerFor<tflite::MicroMemoryPlanner, TfLiteStatus,
                                    kTfLiteOk, kTfLiteError>;
static_assert(stowage::micro::IsSafe(keyword_buffers, KEYWORD_BUFFERS,
                                     KEYWORD_ALIGNMENT));

TfLiteStatus RunKeyword(const uint8_t* file, uint32_t bytes,
                        const tflite::MicroOpResolver& resolver) {
  alignas(KEYWORD_ALIGNMENT) static uint8_t arena[KEYWORD_ARENA_BYTES];
  if (keyword_is_model(file, bytes) == 0) return kTfLiteError;
  TablePlanner planner(keyword_buffers, KEYWORD_BUFFERS);
  tflite::MicroInterpreter interpreter(
      tflite::GetModel(file), resolver,
      tflite::MicroAllocator::Create(arena, sizeof(arena), &planner));
  if (interpreter.AllocateTensors() != kTfLiteOk) return kTfLiteError;
  return interpreter.Invoke();
}
