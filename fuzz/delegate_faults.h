// SPDX-License-Identifier: Apache-2.0
// Generates delegates from the bytes of a fuzzer. Some delegates are sound, and
// others fail.
#ifndef STOWAGE_FUZZ_DELEGATE_FAULTS_H_
#define STOWAGE_FUZZ_DELEGATE_FAULTS_H_

#include "fuzz/input.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {

struct AnyDelegate {
  FakeSpec spec;
  bool is_faulty = false;  // its calls may fail
  bool misuses = false;    // its results may be wrong
};

// Generates a delegate. The delegate may call `graph`, which must outlive the
// delegate.
AnyDelegate SampleDelegate(Input* input, const SubgraphSpec& model,
                           Subgraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_FUZZ_DELEGATE_FAULTS_H_
