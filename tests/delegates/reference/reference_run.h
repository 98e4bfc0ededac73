// SPDX-License-Identifier: Apache-2.0
// Runs a model with and without the delegate `reference`, so that tests can
// compare the bytes of the outputs.
#ifndef STOWAGE_TESTS_DELEGATES_REFERENCE_REFERENCE_RUN_H_
#define STOWAGE_TESTS_DELEGATES_REFERENCE_REFERENCE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// A delegate, given by its text, and the nodes that it may claim.
struct ReferenceUse {
  std::string text = "reference";
  ApplyOptions options;
};

// Returns the texts that create the delegate, one for each kind of memory that
// the delegate supports. If IsDynamicText returns true for a text, the delegate
// also runs graphs with shapes that depend on data.
const std::vector<std::string>& ReferenceTexts();
bool IsDynamicText(const std::string& text);

struct ReferenceRun {
  std::vector<std::vector<uint8_t>> outputs;  // of all invocations
  MemoryPlan plan;
  std::vector<AppliedDelegate> delegates;
  bool is_dynamic = false;  // a shape depends on data
};

// Runs the primary graph with random inputs from seed 1. Errors: those of
// creating and running the interpreter and the delegates.
absl::StatusOr<ReferenceRun> RunWith(const Model& model,
                                     const InterpreterOptions& options,
                                     const std::vector<ReferenceUse>& uses,
                                     size_t invocations);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_DELEGATES_REFERENCE_REFERENCE_RUN_H_
