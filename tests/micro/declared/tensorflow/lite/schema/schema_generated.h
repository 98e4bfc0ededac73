// SPDX-License-Identifier: Apache-2.0
// Stands in for TensorFlow's header of this name. Declares the functions that
// docs/micro_example/table.cc calls.
#ifndef STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_
#define STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_

namespace tflite {

struct Model;

const Model* GetModel(const void* buffer);

}  // namespace tflite

#endif  // STOWAGE_TESTS_MICRO_DECLARED_SCHEMA_GENERATED_H_
