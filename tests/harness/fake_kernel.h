// SPDX-License-Identifier: Apache-2.0
// Defines the kernels of FakeDelegate, which run operators of the graph's
// resolver on the tensors of a PartitionContext.
#ifndef STOWAGE_TESTS_HARNESS_FAKE_KERNEL_H_
#define STOWAGE_TESTS_HARNESS_FAKE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {

class FakeKernel : public DelegateKernel {
 public:
  // The delegate must outlive this object.
  FakeKernel(FakeDelegate* delegate, const DelegateGraph& graph,
             const DelegatePartition& partition);
  ~FakeKernel() override;

  std::vector<PartitionStep> Steps() const override;
  absl::Status Prepare(PartitionContext& context) override;
  absl::Status Invoke(PartitionContext& context) override;
  std::vector<DelegateMemory> Memory() const override;

 private:
  friend class FakeContext;

  enum class Phase { kPrepare, kPrepareLate, kInvoke };

  // A tensor inside an opaque partition.
  struct Inner {
    Tensor tensor;
    absl::optional<size_t> workspace;
    std::vector<uint8_t> own;  // used if the shape is computed
    bool is_dynamic = false;
  };
  struct Operator {
    const OperatorSpec* spec = nullptr;
    std::unique_ptr<Kernel> kernel;
    InPlace in_place = InPlace::kNever;
    std::deque<Tensor> temporaries;
    // The workspaces of the temporaries. A temporary without a workspace has
    // its memory in `own`.
    std::vector<absl::optional<size_t>> workspaces;
    std::deque<std::vector<uint8_t>> own;
    std::deque<std::vector<uint64_t>> data;  // persistent memory
  };

  absl::Status Call(PartitionContext& context, size_t op, Phase phase);
  absl::Status PrepareByHook(PartitionContext& context);
  absl::Status PrepareBuffers(PartitionContext& context);
  absl::Status Run(PartitionContext& context);

  FakeDelegate& delegate_;
  const DelegatePartition partition_;
  std::vector<Operator> operators_;
  std::map<size_t, Inner> inner_;
  // The index of the first operator that cannot be prepared before the run.
  // This operator and all operators after it are prepared when they run.
  size_t late_ = 0;
  std::map<size_t, Tensor> device_;  // of the current run, in open buffers
};

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_FAKE_KERNEL_H_
