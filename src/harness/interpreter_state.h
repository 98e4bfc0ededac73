// SPDX-License-Identifier: Apache-2.0
// What the subgraphs of an interpreter share.
#ifndef STOWAGE_SRC_HARNESS_INTERPRETER_STATE_H_
#define STOWAGE_SRC_HARNESS_INTERPRETER_STATE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/memory.h"
#include "src/harness/resources.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

class InterpreterState {
 public:
  InterpreterState(const Model& model, OperatorResolver resolver,
                   const InterpreterOptions& options);

  const Model& model() const { return model_; }
  const OperatorResolver& resolver() const { return resolver_; }
  const InterpreterOptions& options() const { return options_; }
  MemoryBudget* budget() { return &budget_; }
  OwnedResources& resources() { return resources_; }
  Subgraph& subgraph(size_t index) { return *subgraphs_[index]; }

  // Makes the subgraphs. Error: InvalidArgument, listing every operator that
  // there is no kernel for, unless shadows stand in for them.
  absl::Status Load();

  // Why there is no kernel for the operator; empty if there is one.
  std::string WhyUnsupported(const OperatorSpec& op) const;

  std::vector<ShadowedOperator> ShadowedOperators() const;

  // See OperatorContext::InvokeOnce.
  absl::Status InvokeOnce(size_t subgraph);

  void Reset();

 private:
  absl::Status CheckSupported() const;

  const Model& model_;
  OperatorResolver resolver_;
  InterpreterOptions options_;
  MemoryBudget budget_;
  OwnedResources resources_;
  std::vector<std::unique_ptr<Subgraph>> subgraphs_;
  std::vector<bool> is_done_;     // by subgraph: was invoked once
  std::vector<bool> is_running_;  // by subgraph: is being invoked once
  int depth_ = 0;                 // of calls that are running
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_INTERPRETER_STATE_H_
