// SPDX-License-Identifier: Apache-2.0
// Delegates drawn from the bytes of a fuzzer: sound ones, and ones that fail.
#ifndef STOWAGE_FUZZ_DELEGATE_FAULTS_H_
#define STOWAGE_FUZZ_DELEGATE_FAULTS_H_

#include "fuzz/input.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {

struct AnyDelegate {
  FakeSpec spec;
  bool is_faulty = false;  // calls of it may fail
  bool misuses = false;    // what it computes may be wrong
};

// `graph` is called from within the delegate; it must outlive it.
AnyDelegate DrawDelegate(Input* input, const SubgraphSpec& model,
                         Subgraph* graph);

}  // namespace stowage::harness

#endif  // STOWAGE_FUZZ_DELEGATE_FAULTS_H_
