// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of operators under a plan with the outputs of the same
// operators in a run without sharing. compare_runs.h performs both runs.
#ifndef STOWAGE_SRC_HARNESS_COMPARE_OUTPUTS_H_
#define STOWAGE_SRC_HARNESS_COMPARE_OUTPUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Returns the difference in size of two tensors, or the first byte in which
// they differ if their sizes are equal. Returns nullopt if they are equal.
absl::optional<Difference> CompareTensors(const Tensor& expected,
                                          const Tensor& found);

// Returns `difference` with its place and its text filled in.
Difference Placed(Difference difference, const SubgraphSpec& graph,
                  size_t subgraph, size_t invocation, size_t tensor);

// Keeps copies of the outputs of operators in called subgraphs. The copies are
// necessary because such an operator may run several times in one invocation
// and overwrites its earlier outputs each time. Keeps at most kMaxBytes bytes;
// further outputs are not kept.
class CalledOutputs : public ExecutionObserver {
 public:
  // Requires that `entries` are the subgraphs that the user of the interpreter
  // runs.
  explicit CalledOutputs(std::set<size_t> entries)
      : entries_(std::move(entries)) {}

  absl::Status AfterOperator(const Execution& at) override;
  // Discards all outputs. Must be called before each invocation.
  void Clear() {
    outputs_.clear();
    bytes_ = 0;
  }
  bool IsCalled(const Execution& at) const {
    return at.caller != nullptr || entries_.count(at.subgraph) == 0;
  }
  // Returns the output that the same operator wrote after the same chain of
  // calls, or null if that output was not kept.
  const Tensor* Find(const Execution& at, size_t tensor) const;

 private:
  static constexpr size_t kMaxBytes = size_t{1} << 28;

  struct Output {
    Tensor tensor;  // `tensor.data` points to `bytes`
    std::vector<uint8_t> bytes;
  };

  std::set<size_t> entries_;
  // The outputs, by chain of calls (Execution::Chain) and tensor.
  std::map<std::pair<std::string, size_t>, Output> outputs_;
  size_t bytes_ = 0;
};

// Compares the outputs of each operator with the same tensors of another
// interpreter, which has already run. Variables are compared only at the end of
// the run, because in that other interpreter they have their final values.
class OutputComparer : public ExecutionObserver {
 public:
  // Both arguments must outlive this object.
  OutputComparer(Interpreter* apart, const CalledOutputs* called)
      : apart_(*apart), called_(*called) {}

  absl::Status AfterOperator(const Execution& at) override;

  const absl::optional<Difference>& difference() const { return difference_; }

 private:
  Interpreter& apart_;
  const CalledOutputs& called_;
  absl::optional<Difference> difference_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_COMPARE_OUTPUTS_H_
