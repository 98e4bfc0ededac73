// SPDX-License-Identifier: Apache-2.0
// Runs a partition with primitives of oneDNN. Each primitive is a step of the
// partition, so the interpreter plans the memory between the primitives.
#ifndef STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_KERNEL_H_
#define STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_KERNEL_H_

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/delegates/onednn/operation.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness::onednn {

class OnednnKernel : public DelegateKernel {
 public:
  OnednnKernel(dnnl::engine engine, int threads)
      : engine_(std::move(engine)), threads_(threads) {}

  // Adds the node that runs next. Error: Internal if oneDNN cannot create the
  // primitive although CanRun has accepted the node.
  absl::Status Add(std::string name, Operation operation);

  std::vector<PartitionStep> Steps() const override;
  absl::Status Prepare(PartitionContext& context) override;
  absl::Status Invoke(PartitionContext& context) override;
  std::vector<DelegateMemory> Memory() const override;

 private:
  struct Step {
    std::string name;
    Operation operation;
    dnnl::primitive primitive;
    // The arguments of the primitive. Arguments in the arena get their
    // addresses when the step runs.
    std::unordered_map<int, dnnl::memory> arguments;
    size_t scratch_bytes = 0;
    size_t workspace = 0;
  };

  dnnl::memory Pack(const Constant& constant);

  dnnl::engine engine_;
  int threads_;
  dnnl::stream stream_{engine_};
  std::vector<Step> steps_;
  size_t packed_bytes_ = 0;
};

}  // namespace stowage::harness::onednn

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_KERNEL_H_
