// SPDX-License-Identifier: Apache-2.0
// Runs byte models (byte_models.h) with and without delegates.
#ifndef STOWAGE_TESTS_HARNESS_DELEGATED_RUN_H_
#define STOWAGE_TESTS_HARNESS_DELEGATED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {

// Returns a graph with branches, a temporary, an operator that computes in
// place, and a variable:
//
//   node      0 Mix    1 MixInPlace  2 Scratch  3 Mix   4 Accumulate  5 Mix
//   reads     t0       t2, t0        t3         t4, t2  t5, t1        t6, t4
//   writes    t2       t3            t4         t5      t6            t7
//
// t0 is the input of 16 bytes, t1 is the variable of 24 bytes, and t7 is the
// output.
ModelSpec BranchedModel();
inline constexpr size_t kBranchedVariable = 1;
inline constexpr size_t kBranchedOutput = 7;

using Bytes = std::vector<uint8_t>;

// The codes of errors that are expected.
inline constexpr auto kAborted = absl::StatusCode::kAborted;
inline constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
inline constexpr auto kInternal = absl::StatusCode::kInternal;
inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
inline constexpr auto kLoss = absl::StatusCode::kDataLoss;
inline constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

// Holds a model and an interpreter that runs it. By default, the arena has
// guard bytes, and the plan is the same on every machine.
class ByteRun {
 public:
  explicit ByteRun(const ModelSpec& spec,
                   const InterpreterOptions& options = {},
                   const OperatorResolver& resolver = ByteOperators());

  Interpreter& interpreter() { return *interpreter_; }
  Subgraph& graph() { return interpreter_->primary(); }
  absl::Status Apply(const FakeSpec& spec,
                     std::shared_ptr<FakeLog> log = nullptr);
  // Fills the inputs and invokes the graph. Returns the bytes of all outputs,
  // concatenated. On an error, the test fails and the result is empty.
  Bytes Invoke(size_t invocation);
  // Calls Invoke for invocations 0, 1, ... and returns all results. Requires
  // that the graph has not run since it was allocated.
  std::vector<Bytes> InvokeAll(size_t invocations = 3);

 private:
  LoadedModel model_;
  std::unique_ptr<Interpreter> interpreter_;
};

// Returns the outputs of each invocation of the model when it runs without
// delegates.
std::vector<Bytes> ExpectedOutputs(const ModelSpec& spec,
                                   size_t invocations = 3);

Bytes BytesOf(const Tensor& tensor);

// Returns a text with all properties in which two graphs can differ: plan,
// offsets, memory and tensors.
std::string Describe(const Subgraph& graph);

// Return the specification of a fake delegate that claims `nodes`. Claiming
// names the delegate "fake".
FakeSpec Claiming(std::vector<int> nodes);
FakeSpec Named(const std::string& name, std::vector<int> nodes);

// Returns a request, for use in InterpreterOptions, for the delegate that
// `create` returns.
inline DelegateRequest CreatedBy(
    std::function<absl::StatusOr<std::shared_ptr<Delegate>>()> create) {
  DelegateRequest request;
  request.create = std::move(create);
  request.name = "created";
  return request;
}

// Returns a request for a fake delegate.
DelegateRequest RequestOf(const FakeSpec& spec,
                          const std::shared_ptr<FakeLog>& log = nullptr);

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_DELEGATED_RUN_H_
