// SPDX-License-Identifier: Apache-2.0
// Generates delegates from the bytes of a fuzzer. Some of these delegates work,
// and others are faulty.
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

// Generates a delegate. Requires that `graph` outlives the delegate, because
// the delegate may call it.
AnyDelegate SampleDelegate(Input* input, const SubgraphSpec& model,
                           Subgraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_FUZZ_DELEGATE_FAULTS_H_
