// SPDX-License-Identifier: Apache-2.0
// Runs a whole model with XNNPACK's own runtime, in memory that this runtime
// plans itself. Benchmarks compare the delegate "xnnpack" with this runtime. To
// run a model for any other purpose, use the delegate.
#ifndef STOWAGE_BENCH_XNNPACK_RUNTIME_H_
#define STOWAGE_BENCH_XNNPACK_RUNTIME_H_

#include <xnnpack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/interpreter.h"

namespace stowage::bench {

class XnnpackRuntime {
 public:
  // A tensor that the runtime reads or writes in memory provided by the caller.
  struct External {
    size_t tensor = 0;  // in the graph
    std::vector<uint8_t> bytes;
  };

  // Creates a runtime for `graph`. Requires that `graph` is allocated and
  // outlives the runtime. Reads only constants and shapes from the graph. The
  // runtime cannot compute SOFTMAX of quantized tensors. If such a SOFTMAX is
  // the last operator, Create leaves it out, and its input becomes an output.
  // Errors, which name the operator or the tensor: Unimplemented if an operator
  // is not defined here; Internal if XNNPACK refuses a call.
  static absl::StatusOr<XnnpackRuntime> Create(const harness::Subgraph& graph);

  // Runs the model. Error: Internal if XNNPACK fails.
  absl::Status Invoke();

  std::vector<External>& inputs() { return inputs_; }
  const std::vector<External>& outputs() const { return outputs_; }
  size_t operators() const { return operators_; }

 private:
  struct Delete {
    void operator()(xnn_runtime_t runtime) const {
      xnn_delete_runtime(runtime);
    }
  };

  XnnpackRuntime() = default;
  absl::Status SetUp();

  std::vector<External> inputs_;
  std::vector<External> outputs_;
  size_t operators_ = 0;
  std::unique_ptr<xnn_runtime, Delete> runtime_;
};

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_XNNPACK_RUNTIME_H_
