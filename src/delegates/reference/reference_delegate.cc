// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/reference/reference_delegate.h"

#include <cstddef>
#include <memory>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/delegates/reference/partition_kernel.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegate_options.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

using reference::MemoryKind;

class Reference : public Delegate {
 public:
  Reference(MemoryKind memory, bool is_dynamic)
      : memory_(memory), is_dynamic_(is_dynamic) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "reference";
    info.allows_dynamic_tensors = is_dynamic_;
    return info;
  }

  bool CanRun(const DelegateGraph& graph, int node) override {
    const SubgraphSpec& spec = graph.spec();
    const auto id = static_cast<size_t>(node);
    if (id >= spec.operators.size()) return false;
    const OperatorSpec& op = spec.operators[id];
    // Refuses a node that writes a variable, because a variable inside a
    // partition would lose its value between runs.
    const bool writes_variable = absl::c_any_of(op.outputs, [&](size_t t) {
      return t != kAbsent && spec.tensors[t].is_variable;
    });
    return !writes_variable && graph.resolver().WhyUnsupported(op).empty();
  }

  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    return std::make_unique<reference::PartitionKernel>(graph, partition,
                                                        memory_);
  }

 private:
  MemoryKind memory_;
  bool is_dynamic_;
};

absl::StatusOr<std::unique_ptr<Delegate>> Create(absl::string_view text) {
  const absl::StatusOr<DelegateOptions> options =
      DelegateOptions::Parse(text, {"memory", "kind"});
  if (!options.ok()) return options.status();
  constexpr MemoryKind kKinds[] = {
      MemoryKind::kOpaque, MemoryKind::kTransparent, MemoryKind::kPrivate};
  const absl::StatusOr<size_t> memory =
      options->Choice("memory", {"opaque", "transparent", "private"});
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<size_t> kind =
      options->Choice("kind", {"static", "dynamic"});
  if (!kind.ok()) return kind.status();
  const bool is_dynamic = *kind == 1;
  if (is_dynamic && kKinds[*memory] == MemoryKind::kTransparent) {
    return absl::InvalidArgumentError(
        "option 'kind': dynamic with memory=transparent, whose tensors the "
        "interpreter plans; expected memory=opaque or memory=private");
  }
  return std::make_unique<Reference>(kKinds[*memory], is_dynamic);
}

}  // namespace

DelegateRegistration ReferenceDelegate() {
  return {"reference", "the interpreter's own kernels, for every operator",
          "memory=opaque|transparent|private, kind=static|dynamic", nullptr,
          &Create};
}

}  // namespace stowage::harness
