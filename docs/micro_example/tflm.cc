// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite Micro with Stowage's planner.
#include <cstdint>

#include "stowage/micro/planner.h"
#include "stowage/micro/tflm_planner.h"
#include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
#include "tensorflow/lite/micro/micro_interpreter.h"

TfLiteStatus RunModel(const tflite::Model* model,
                      const tflite::MicroOpResolver& resolver);

using ModelPlanner = stowage::micro::PlannerFor<
    tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk, kTfLiteError,
    /*kPrintLine=*/nullptr, stowage::micro::BestPlanner>;

TfLiteStatus RunModel(const tflite::Model* model,
                      const tflite::MicroOpResolver& resolver) {
  alignas(16) static uint8_t arena[48 * 1024];
  ModelPlanner planner;
  tflite::MicroInterpreter interpreter(
      model, resolver,
      tflite::MicroAllocator::Create(arena, sizeof(arena), &planner));
  if (interpreter.AllocateTensors() != kTfLiteOk) return kTfLiteError;
  return interpreter.Invoke();
}
