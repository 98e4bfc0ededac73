// SPDX-License-Identifier: Apache-2.0
#include "fuzz/delegate_faults.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/input.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {
namespace {

// Makes the call with the number `call`, counted from 0, fail. The call either
// throws an exception or returns an error.
class Failure {
 public:
  Failure(size_t call, bool throws)
      : left_(std::make_shared<size_t>(call)), throws_(throws) {}

  absl::Status Call() const {
    if ((*left_)-- != 0) return absl::OkStatus();
    if (throws_) throw std::runtime_error("planted");
    return absl::AbortedError("planted");
  }

 private:
  std::shared_ptr<size_t> left_;
  bool throws_;
};

using KernelCall = std::function<absl::Status(PartitionContext&)>;

// Returns a call that the interpreter must either refuse or survive.
KernelCall SampleMisuse(Input* input, const SubgraphSpec& model) {
  const size_t t = input->UpTo(model.tensors.size() + 1);
  const auto handle = static_cast<int>(input->UpTo(8)) - 1;
  const auto bytes = static_cast<int32_t>(input->UpTo(60));
  switch (input->UpTo(9)) {
    case 0:
      return [t](PartitionContext& c) { return c.Read(t).status(); };
    case 1:
      return [t](PartitionContext& c) { return c.Write(t).status(); };
    case 2:
      return [=](PartitionContext& c) { return c.ResizeOutput(t, {bytes}); };
    case 3:
      return [t](PartitionContext& c) { return c.MakeOutputDynamic(t); };
    case 4:
      return [=](PartitionContext& c) { return c.SetBufferHandle(t, handle); };
    case 5:
      return [t](PartitionContext& c) { return c.FreeBufferHandle(t); };
    case 6:
      return [t](PartitionContext& c) { return c.MarkStale(t); };
    case 7:
      return [t](PartitionContext& c) { return c.CopyToBuffer(t); };
    case 8: {
      const size_t size = input->Number();
      const size_t alignment = input->Number();
      const size_t first = input->UpTo(3);
      const size_t last = input->UpTo(3);
      return [=](PartitionContext& c) {
        return c.AddWorkspace(size, alignment, first, last).status();
      };
    }
    default:
      return [t](PartitionContext& c) {
        return c.is_stale(t) && c.buffer_handle(t) >= 0 &&
                       c.workspace(t).empty()
                   ? absl::AbortedError("stale")
                   : absl::OkStatus();
      };
  }
}

// Returns a call that a kernel makes to the graph that runs this kernel.
KernelCall SampleCallFromInside(Input* input, Subgraph* graph) {
  const size_t kind = input->UpTo(6);
  return [=](PartitionContext&) {
    switch (kind) {
      case 0:
        return graph->Invoke();
      case 1:
        return graph->Allocate();
      case 2:
        return graph->RemoveDelegates();
      case 3:
        return graph->ResizeInput(0, {3});
      case 4:
        return graph->ApplyDelegate(std::make_shared<FakeDelegate>(FakeSpec()));
      case 5:
        return graph->EnsureReadable(0);
      default:
        graph->Cancel();
        return absl::OkStatus();
    }
  };
}

void PlantFailure(Input* input, FakeSpec* spec) {
  const size_t where = input->UpTo(8);
  const Failure failure(input->UpTo(6), input->Flag());
  const auto in_kernel = [=](PartitionContext&) { return failure.Call(); };
  switch (where) {
    case 0:
      spec->prepare = [=](const DelegateGraph&) { return failure.Call(); };
      return;
    case 1:
      spec->can_run = [=](int) { return failure.Call().ok(); };
      return;
    case 2:
      spec->create = [=](const DelegatePartition&) { return failure.Call(); };
      return;
    case 3:
      spec->kernel_prepare = in_kernel;
      return;
    case 4:
      spec->before_invoke = in_kernel;
      return;
    case 5:
      spec->after_invoke = in_kernel;
      return;
    case 6:
      spec->copy_from = [=](int) { return failure.Call(); };
      return;
    case 7:
      spec->free_buffer = [=](int) { failure.Call().IgnoreError(); };
      return;
    default:
      spec->creates_null = true;
      return;
  }
}

void PlantClaims(Input* input, FakeSpec* spec) {
  std::vector<int> claims;
  for (size_t i = input->UpTo(5); i > 0; --i) {
    claims.push_back(static_cast<int>(input->UpTo(24)) - 2);
  }
  spec->claim = [claims](const DelegateGraph&) { return claims; };
}

void PlantSteps(Input* input, const SubgraphSpec& model, FakeSpec* spec) {
  const size_t kind = input->UpTo(4);
  const size_t t = input->UpTo(model.tensors.size() + 1);
  spec->steps = [=](std::vector<PartitionStep>* steps) {
    if (steps->empty() || kind == 0) {
      steps->push_back({"any", {t}, {}});
    } else if (kind == 1) {
      steps->back().writes.push_back(t);
    } else if (kind == 2) {
      steps->front().reads.push_back(t);
    } else if (kind == 3) {
      steps->pop_back();
    } else {
      std::swap(steps->front(), steps->back());
    }
  };
}

}  // namespace

AnyDelegate SampleDelegate(Input* input, const SubgraphSpec& model,
                           Subgraph* graph) {
  AnyDelegate sampled;
  FakeSpec& spec = sampled.spec;
  const uint8_t flags = input->Byte();
  spec.info.allows_dynamic_tensors = (flags & 1) != 0;
  spec.info.wants_shapes = (flags & 2) != 0;
  spec.is_transparent = (flags & 4) != 0 && !spec.info.allows_dynamic_tensors;
  spec.has_buffers = (flags & 24) == 8 && !spec.is_transparent &&
                     !spec.info.allows_dynamic_tensors;
  spec.info.spare_bytes = (flags & 32) != 0 ? 16 : 0;
  spec.workspace_alignment = size_t{1} << input->UpTo(12);
  spec.claims.emplace();
  const size_t mask = input->UpTo(0xFFFF);
  for (size_t i = 0; i < model.operators.size(); ++i) {
    if ((mask >> i & 1) != 0) spec.claims->push_back(static_cast<int>(i));
  }
  if ((flags & 64) != 0) {
    spec.info.limits.max_partitions = static_cast<int>(input->UpTo(3));
    spec.info.limits.min_nodes_per_partition = static_cast<int>(input->UpTo(3));
  }
  const size_t fault = input->UpTo(9);
  sampled.is_faulty = fault >= 5;
  if (fault == 5) PlantFailure(input, &spec);
  if (fault == 6) PlantClaims(input, &spec);
  if (fault == 7) {
    PlantSteps(input, model, &spec);
    // The planted steps count as misuse even if they happen to be valid,
    // because they are not the steps that the kernel runs.
    sampled.misuses = true;
  }
  if (fault == 8) {
    const KernelCall call = SampleCallFromInside(input, graph);
    (input->Flag() ? spec.before_invoke : spec.kernel_prepare) = call;
  }
  if (fault == 9) {
    const KernelCall call = SampleMisuse(input, model);
    (input->Flag() ? spec.after_invoke : spec.kernel_prepare) = call;
    sampled.misuses = true;
  }
  return sampled;
}

}  // namespace stowage::harness
