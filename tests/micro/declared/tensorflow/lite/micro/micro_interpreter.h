// SPDX-License-Identifier: Apache-2.0
// Replaces TensorFlow Lite Micro's header of the same name. Declares the
// functions that docs/micro_example/tflm.cc calls.
#ifndef STOWAGE_TESTS_MICRO_DECLARED_MICRO_INTERPRETER_H_
#define STOWAGE_TESTS_MICRO_DECLARED_MICRO_INTERPRETER_H_

#include <cstddef>
#include <cstdint>

#include "tests/micro/declared_planner.h"

namespace tflite {

struct Model;
class MicroOpResolver;

class MicroAllocator {
 public:
  static MicroAllocator* Create(uint8_t* tensor_arena, size_t arena_size,
                                MicroMemoryPlanner* memory_planner);
};

class MicroInterpreter {
 public:
  MicroInterpreter(const Model* model, const MicroOpResolver& op_resolver,
                   MicroAllocator* allocator);
  TfLiteStatus AllocateTensors();
  TfLiteStatus Invoke();
};

}  // namespace tflite

#endif  // STOWAGE_TESTS_MICRO_DECLARED_MICRO_INTERPRETER_H_
