// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/faulty_delegate.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegate_options.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

enum class Fault { kNone, kPrepare, kKernel, kInvoke };

struct Faults {
  std::vector<int> wrong;  // nodes
  Fault fault = Fault::kNone;
  int64_t at = 1;
};

class FaultyKernel : public DelegateKernel {
 public:
  FaultyKernel(std::unique_ptr<DelegateKernel> kernel, Faults faults)
      : kernel_(std::move(kernel)), faults_(std::move(faults)) {}

  std::vector<PartitionStep> Steps() const override { return kernel_->Steps(); }
  absl::Status Prepare(PartitionContext& context) override {
    return kernel_->Prepare(context);
  }
  std::vector<DelegateMemory> Memory() const override {
    return kernel_->Memory();
  }

  absl::Status Invoke(PartitionContext& context) override {
    if (context.step() == 0) ++runs_;
    if (faults_.fault == Fault::kInvoke && runs_ >= faults_.at) {
      return absl::InternalError("the device has vanished; expected it there");
    }
    absl::Status status = kernel_->Invoke(context);
    const std::vector<PartitionStep> steps = kernel_->Steps();
    const bool is_last = steps.empty() || context.step() + 1 == steps.size();
    if (!status.ok() || !is_last || !IsWrong(context.partition())) {
      return status;
    }
    const std::vector<size_t>& written =
        steps.empty() ? context.partition().outputs : steps.back().writes;
    const absl::StatusOr<Tensor*> output = context.Write(written.back());
    if (!output.ok()) return output.status();
    for (size_t i = 0; i < (*output)->bytes; ++i) {
      (*output)->as<uint8_t>()[i] ^= 0x10;
    }
    return status;
  }

 private:
  bool IsWrong(const DelegatePartition& partition) const {
    return !faults_.wrong.empty() &&
           absl::c_all_of(faults_.wrong, [&](int node) {
             return absl::c_linear_search(partition.nodes, node);
           });
  }

  std::unique_ptr<DelegateKernel> kernel_;
  Faults faults_;
  int64_t runs_ = 0;
};

class FaultyDelegate : public Delegate {
 public:
  FaultyDelegate(std::unique_ptr<Delegate> delegate, Faults faults)
      : delegate_(std::move(delegate)), faults_(std::move(faults)) {}

  DelegateInfo info() const override {
    DelegateInfo info = delegate_->info();
    info.name = "faulty";
    return info;
  }
  absl::Status Prepare(const DelegateGraph& graph) override {
    if (faults_.fault == Fault::kPrepare) {
      return absl::UnimplementedError("it has no weights; expected some");
    }
    return delegate_->Prepare(graph);
  }
  bool CanRun(const DelegateGraph& graph, int node) override {
    return delegate_->CanRun(graph, node);
  }
  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    if (faults_.fault == Fault::kKernel) {
      return absl::InternalError("it has no such kernel; expected one");
    }
    absl::StatusOr<std::unique_ptr<DelegateKernel>> kernel =
        delegate_->CreateKernel(graph, partition);
    if (!kernel.ok()) return kernel.status();
    return std::make_unique<FaultyKernel>(*std::move(kernel), faults_);
  }

 private:
  std::unique_ptr<Delegate> delegate_;
  Faults faults_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Delegate>> CreateFaultyDelegate(
    absl::string_view text) {
  const auto options =
      DelegateOptions::Parse(text, {"memory", "wrong", "and", "fault", "at"});
  if (!options.ok()) return options.status();
  constexpr int64_t kMax = 1'000'000;
  Faults faults;
  for (const absl::string_view key : {"wrong", "and"}) {
    const auto node = options->Number(key, -1, 0, kMax);
    if (!node.ok()) return node.status();
    if (*node >= 0) faults.wrong.push_back(static_cast<int>(*node));
  }
  const auto fault =
      options->Choice("fault", {"none", "prepare", "kernel", "invoke"});
  if (!fault.ok()) return fault.status();
  faults.fault = static_cast<Fault>(*fault);
  const auto at = options->Number("at", 1, 1, kMax);
  if (!at.ok()) return at.status();
  faults.at = *at;
  const auto memory = options->Choice("memory", {"opaque", "transparent"});
  if (!memory.ok()) return memory.status();
  auto reference = CreateDelegate(
      *memory == 0 ? "reference" : "reference:memory=transparent");
  if (!reference.ok()) return reference.status();
  return std::make_unique<FaultyDelegate>(*std::move(reference), faults);
}

}  // namespace stowage::harness
