// SPDX-License-Identifier: Apache-2.0
// The interpreter: a model, what its subgraphs share, and their sessions.
#ifndef STOWAGE_SRC_HARNESS_SESSION_H_
#define STOWAGE_SRC_HARNESS_SESSION_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/graph_session.h"
#include "src/harness/shared_state.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

class Session final : public Interpreter {
 public:
  // Options and operators are as Interpreter::Create has checked them.
  Session(const Model& model, const OperatorResolver& resolver,
          const InterpreterOptions& options);

  const Model& model() const override { return shared_.model; }
  Subgraph& subgraph(size_t index) override { return *graphs_[index]; }
  std::vector<ShadowedOperator> ShadowedOperators() const override;
  void Reset() override;

 private:
  // See OperatorContext::InvokeOnce.
  absl::Status InvokeOnce(size_t subgraph);

  SharedState shared_;
  std::vector<std::unique_ptr<GraphSession>> graphs_;
  std::vector<bool> is_done_;     // by subgraph: was invoked once
  std::vector<bool> is_running_;  // by subgraph: is being invoked once
  int depth_ = 0;                 // of calls that are running
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_SESSION_H_
