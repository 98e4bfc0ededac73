// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/xnnpack/xnnpack_delegate.h"

#include <cstring>
#include <utility>

#include "src/delegates/xnnpack/operation.h"
#include "src/delegates/xnnpack/runtime.h"
#include "stowage/harness/delegate_options.h"

namespace stowage::harness {
namespace xnnpack {
namespace {

// Runs a partition with XNNPACK operators, one for each node. Each operator
// packs its weights once and keeps them; operators do not share memory.
class XnnpackKernel : public DelegateKernel {
 public:
  explicit XnnpackKernel(pthreadpool_t pool) : pool_(pool) {}

  // Creates the operator of the next node. Errors: those of Describe; Internal
  // if XNNPACK cannot create the operator.
  absl::Status Add(const DelegateGraph& graph, int id) {
    const OperatorSpec& spec = graph.node(id);
    STOWAGE_ASSIGN_OR_RETURN(Operation operation, Describe(Node(graph, spec)));
    Step step;
    step.partition_step.name = spec.name;
    step.partition_step.writes = {spec.outputs[0]};
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      AddInput(graph, operation, i, step);
    }
    if (operation.create) {
      const AllocationCount count;
      xnn_operator_t made = nullptr;
      STOWAGE_RETURN_IF_ERROR(
          StatusOf("creating an operator", operation.create(&made)));
      step.op.reset(made);
      packed_bytes_ += count.bytes();
    }
    step.setup = std::move(operation.setup);
    steps_.push_back(std::move(step));
    return absl::OkStatus();
  }

  std::vector<PartitionStep> Steps() const override {
    std::vector<PartitionStep> steps;
    steps.reserve(steps_.size());
    for (const Step& step : steps_) steps.push_back(step.partition_step);
    return steps;
  }

  absl::Status Prepare(PartitionContext& /*context*/) override {
    const AllocationCount count;
    for (Step& step : steps_) {
      // The operator is first set up with arbitrary addresses, so that XNNPACK
      // already creates its buffers here. Invoke sets the real addresses.
      alignas(64) static char somewhere[64];
      Addresses addresses = step.constants;
      for (const void*& input : addresses.inputs) {
        if (input == nullptr) input = somewhere;
      }
      addresses.output = somewhere;
      STOWAGE_RETURN_IF_ERROR(SetUp(step, addresses));
    }
    indirection_bytes_ += count.bytes();
    return absl::OkStatus();
  }

  absl::Status Invoke(PartitionContext& context) override {
    Step& step = steps_[context.step()];
    Addresses addresses = step.constants;
    for (const auto& [i, tensor] : step.inputs) {
      STOWAGE_ASSIGN_OR_RETURN(const Tensor* const input, context.Read(tensor));
      addresses.inputs[i] = input->data;
    }
    STOWAGE_ASSIGN_OR_RETURN(Tensor* const output,
                             context.Write(step.partition_step.writes[0]));
    addresses.output = output->data;
    if (step.op == nullptr) {
      if (addresses.inputs[0] != output->data) {
        std::memcpy(output->data, addresses.inputs[0], output->bytes);
      }
      return absl::OkStatus();
    }
    if (!(addresses == step.addresses)) {
      STOWAGE_RETURN_IF_ERROR(SetUp(step, addresses));
    }
    return StatusOf("running an operator",
                    xnn_run_operator(step.op.get(), pool_));
  }

  std::vector<DelegateMemory> Memory() const override {
    return {{"operators and packed weights", packed_bytes_},
            {"indirection buffers", indirection_bytes_},
            {"copies of constants", constant_bytes_}};
  }

 private:
  struct Step {
    PartitionStep partition_step;
    OperatorHandle op;  // is null if the step copies
    Operation::Setup setup;
    // The computed inputs of the operator, as pairs of the position of an input
    // and its tensor.
    std::vector<std::pair<size_t, size_t>> inputs;
    // Copies of the constant inputs. Each copy has additional bytes after its
    // last element, because XNNPACK may read past the end of an input.
    std::vector<std::vector<uint8_t>> copies;
    // The addresses of the copies; null for computed inputs.
    Addresses constants;
    Addresses addresses;  // the addresses of the last setup
  };

  void AddInput(const DelegateGraph& graph, const Operation& operation,
                size_t i, Step& step) {
    const size_t tensor = operation.inputs[i];
    const Tensor* const constant = ConstantBehind(graph, tensor);
    if (constant == nullptr) {
      const auto place = [](size_t n) {
        return n == 0 ? InPlace::kInput0 : InPlace::kInput1;
      };
      PartitionStep& shown = step.partition_step;
      if (HasFlag(operation.in_place, InPlace::kUnmodified)) {
        shown.in_place = shown.in_place | InPlace::kUnmodified;
      }
      if (HasFlag(operation.in_place, place(i))) {
        shown.in_place = shown.in_place | place(shown.reads.size());
      }
      shown.reads.push_back(tensor);
      step.inputs.emplace_back(i, tensor);
      return;
    }
    const ConstantFloats floats(constant);
    const Tensor& read = graph.tensor(tensor);
    const size_t bytes = read.bytes;
    const void* const from = constant->type == read.type
                                 ? constant->data
                                 : static_cast<const void*>(floats.data());
    std::vector<uint8_t> copy(bytes + XNN_EXTRA_BYTES);
    std::memcpy(copy.data(), from, bytes);
    constant_bytes_ += copy.size();
    step.copies.push_back(std::move(copy));
    step.constants.inputs[i] = step.copies.back().data();
  }

  absl::Status SetUp(Step& step, const Addresses& addresses) {
    if (step.op == nullptr) return absl::OkStatus();
    STOWAGE_RETURN_IF_ERROR(StatusOf(
        "setting up an operator", step.setup(step.op.get(), addresses, pool_)));
    step.addresses = addresses;
    return absl::OkStatus();
  }

  pthreadpool_t pool_;
  std::vector<Step> steps_;
  size_t packed_bytes_ = 0;
  size_t indirection_bytes_ = 0;
  size_t constant_bytes_ = 0;
};

class XnnpackDelegateImpl : public Delegate {
 public:
  // If `pool` is null, everything runs on the thread that calls Invoke.
  explicit XnnpackDelegateImpl(PoolHandle pool) : pool_(std::move(pool)) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "xnnpack";
    info.spare_bytes = XNN_EXTRA_BYTES;
    info.reads_float16_constants = true;
    return info;
  }

  bool CanRun(const DelegateGraph& graph, int node) override {
    const OperatorSpec& spec = graph.node(node);
    // Refuses unsupported versions of an operator, because they may have
    // options that the delegate does not know and would ignore.
    if (!graph.resolver().WhyUnsupported(spec).empty()) return false;
    const absl::StatusOr<Operation> operation = Describe(Node(graph, spec));
    if (!operation.ok()) return false;
    // Operators that pack weights are not created as a test here, because
    // packing takes time. Describe has checked their parameters instead.
    if (!operation->create || operation->packs_weights) return true;
    xnn_operator_t made = nullptr;
    const xnn_status status = operation->create(&made);
    const OperatorHandle owned(made);
    return status == xnn_status_success;
  }

  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    auto kernel = std::make_unique<XnnpackKernel>(pool_.get());
    for (const int node : partition.nodes) {
      STOWAGE_RETURN_IF_ERROR(kernel->Add(graph, node));
    }
    return kernel;
  }

 private:
  PoolHandle pool_;
};

absl::StatusOr<std::unique_ptr<Delegate>> CreateXnnpack(
    absl::string_view text) {
  STOWAGE_ASSIGN_OR_RETURN(const DelegateOptions options,
                           DelegateOptions::Parse(text, {"threads"}));
  constexpr int64_t kMaxThreads = 256;
  STOWAGE_ASSIGN_OR_RETURN(const int64_t threads,
                           options.Number("threads", 1, 1, kMaxThreads));
  STOWAGE_RETURN_IF_ERROR(Initialize());
  PoolHandle pool;
  if (threads > 1) {
    pool.reset(pthreadpool_create(static_cast<size_t>(threads)));
    if (pool == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot create a pool of ", threads, " threads"));
    }
  }
  return std::make_unique<XnnpackDelegateImpl>(std::move(pool));
}

}  // namespace
}  // namespace xnnpack

DelegateRegistration XnnpackDelegate() {
  DelegateRegistration registration;
  registration.name = "xnnpack";
  registration.summary =
      "operators of the XNNPACK library: FLOAT32, INT8 and UINT8 on the CPU";
  registration.options = "threads=N";
  registration.check = xnnpack::Initialize;
  registration.create = xnnpack::CreateXnnpack;
  return registration;
}

}  // namespace stowage::harness
