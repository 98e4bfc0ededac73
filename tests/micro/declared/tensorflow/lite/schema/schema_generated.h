// SPDX-License-Identifier: Apache-2.0
// Replaces TensorFlow's header of the same name. Declares the functions that
// docs/micro_example/table.cc calls.
#ifndef STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_
#define STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_

namespace tflite {

struct Model;

const Model* GetModel(const void* buffer);

}  // namespace tflite

#endif  // STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_
