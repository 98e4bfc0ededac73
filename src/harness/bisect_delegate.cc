// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/bisect_delegate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/sha256.h"
#include "stowage/base/minimize.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/dump.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/partition.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// The pattern with which bytes that are not live are filled. RunModel and
// CheckPlan use other patterns.
constexpr uint8_t kBisectionPoison = 0x5A;

// The number of guard bytes after the arena. They reveal writes beyond the last
// tensor.
constexpr size_t kBisectionGuard = 4096;

// The result of a run: the outputs of the graph after each invocation, and the
// error that stopped the run.
struct Ran {
  std::vector<DumpedTensor> outputs;
  absl::Status status;
};

class DelegateBisector {
 public:
  DelegateBisector(const Model& model, RunOptions options, double tolerance)
      : model_(model), options_(std::move(options)), tolerance_(tolerance) {
    options_.plan.delegate_fallback = false;
  }

  absl::StatusOr<DelegateBisection> Run();

 private:
  absl::StatusOr<Ran> RunWith(std::vector<DelegateRequest> requests,
                              std::vector<DelegatedOperator>* delegated);
  void AddOperators(size_t request, const AppliedDelegate& delegate,
                    std::vector<DelegatedOperator>* all) const;
  std::string DifferenceOf(const Ran& ran) const;
  bool IsForGraph(const DelegateRequest& request) const {
    return !request.subgraph || *request.subgraph == options_.subgraph;
  }
  absl::StatusOr<bool> DiffersWith(const std::vector<size_t>& kept);

  const Model& model_;
  RunOptions options_;
  double tolerance_;
  std::vector<DumpedTensor> expected_;
  std::vector<DelegatedOperator> delegated_;
  size_t runs_ = 0;
};

void AddOutputs(const Subgraph& graph, size_t invocation,
                std::vector<DumpedTensor>* outputs) {
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const Tensor& tensor = graph.output(i);
    DumpedTensor output;
    output.role = "output";
    output.invocation = invocation;
    output.tensor = graph.spec().outputs[i];
    output.name = tensor.name;
    output.dtype = DtypeName(tensor.type);
    output.shape.assign(tensor.shape.begin(), tensor.shape.end());
    output.has_bytes = true;
    if (tensor.bytes > 0) {
      output.bytes.assign(static_cast<const char*>(tensor.data), tensor.bytes);
    }
    output.sha256 = Sha256(output.bytes);
    outputs->push_back(std::move(output));
  }
}

// Runs the model with the delegates in `requests`. If `delegated` is not null,
// appends the operators that delegates run to it.
absl::StatusOr<Ran> DelegateBisector::RunWith(
    std::vector<DelegateRequest> requests,
    std::vector<DelegatedOperator>* delegated) {
  ++runs_;
  InterpreterOptions plan = options_.plan;
  PoisonChecker poison(kBisectionPoison);
  TouchChecker touch;
  plan.observers.clear();
  if (!requests.empty()) {
    if (options_.poison) plan.observers.push_back(&poison);
    if (options_.touch) plan.observers.push_back(&touch);
    plan.moves_arena = true;
  }
  plan.guard_bytes = std::max(plan.guard_bytes, kBisectionGuard);
  plan.delegates = std::move(requests);
  const auto interpreter = Interpreter::Create(model_, plan);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->subgraph(options_.subgraph);
  if (absl::Status s = graph.Allocate(); !s.ok()) return s;
  if (delegated != nullptr) {
    // graph.delegates() has one entry for each request that applies to this
    // subgraph, in the order of the requests. Requests for other subgraphs are
    // skipped, so that each entry is matched with its own request.
    size_t request = 0;
    for (const AppliedDelegate& applied : graph.delegates()) {
      while (!IsForGraph(options_.plan.delegates[request])) ++request;
      AddOperators(request++, applied, delegated);
    }
  }
  InputSource fill_inputs(options_.seed, options_.inputs);
  Ran ran;
  for (size_t k = 0; k < options_.invocations; ++k) {
    if (absl::Status s = fill_inputs(graph, k); !s.ok()) return s;
    ran.status = graph.Invoke();
    if (absl::IsCancelled(ran.status) ||
        absl::IsResourceExhausted(ran.status)) {
      return ran.status;
    }
    if (!ran.status.ok()) return ran;
    AddOutputs(graph, k, &ran.outputs);
  }
  return ran;
}

void DelegateBisector::AddOperators(size_t request,
                                    const AppliedDelegate& delegate,
                                    std::vector<DelegatedOperator>* all) const {
  const SubgraphSpec& spec = model_.subgraphs()[options_.subgraph];
  for (const AppliedPartition& partition : delegate.partitions) {
    for (const int node : partition.nodes) {
      all->push_back({request, delegate.name, node,
                      spec.OperatorPlace(static_cast<size_t>(node))});
    }
  }
}

// Returns a text that describes the first difference from the run without
// delegates, or an empty string if there is none.
std::string DelegateBisector::DifferenceOf(const Ran& ran) const {
  if (!ran.status.ok()) return std::string(ran.status.message());
  for (const TensorDifference& difference :
       CompareDumps(expected_, ran.outputs, tolerance_)) {
    if (difference.is_mismatch()) return Describe(difference);
  }
  return "";
}

// Runs the model with only the nodes in `kept` delegated, and returns whether
// the outputs differ. The limits on partitions are lifted, because the nodes in
// `kept` have already been accepted in a run with these limits.
absl::StatusOr<bool> DelegateBisector::DiffersWith(
    const std::vector<size_t>& kept) {
  std::vector<DelegateRequest> requests = options_.plan.delegates;
  for (DelegateRequest& request : requests) {
    if (!IsForGraph(request)) continue;
    request.options.claim.emplace();
    request.options.limits = PartitionLimits();
    request.subgraph = options_.subgraph;
  }
  for (const size_t i : kept) {
    requests[delegated_[i].request].options.claim->push_back(
        delegated_[i].node);
  }
  const absl::StatusOr<Ran> ran = RunWith(std::move(requests), nullptr);
  // A delegate may refuse some sets of nodes. A refusal is not a difference of
  // the outputs.
  if (!DelegateOf(ran.status()).empty()) return false;
  if (!ran.ok()) return ran.status();
  return !DifferenceOf(*ran).empty();
}

absl::StatusOr<DelegateBisection> DelegateBisector::Run() {
  const absl::StatusOr<Ran> expected = RunWith({}, nullptr);
  if (!expected.ok()) return expected.status();
  if (!expected->status.ok()) return expected->status;
  expected_ = expected->outputs;
  const absl::StatusOr<Ran> ran = RunWith(options_.plan.delegates, &delegated_);
  if (!ran.ok()) return ran.status();
  std::stable_sort(delegated_.begin(), delegated_.end(),
                   [](const DelegatedOperator& a, const DelegatedOperator& b) {
                     return std::tie(a.request, a.node) <
                            std::tie(b.request, b.node);
                   });
  DelegateBisection result;
  result.difference = DifferenceOf(*ran);
  result.delegated = delegated_.size();
  if (result.differs() && !delegated_.empty()) {
    std::vector<size_t> all(delegated_.size());
    std::iota(all.begin(), all.end(), 0);
    const absl::StatusOr<bool> differs = DiffersWith(all);
    if (!differs.ok()) return differs.status();
    if (*differs) {
      const absl::StatusOr<std::vector<size_t>> culprits =
          Minimize(all, [this](const std::vector<size_t>& kept) {
            return DiffersWith(kept);
          });
      if (!culprits.ok()) return culprits.status();
      for (const size_t i : *culprits) result.nodes.push_back(delegated_[i]);
    }
  }
  result.runs = runs_;
  return result;
}

}  // namespace

std::string DelegateBisection::Text() const {
  if (!differs()) {
    return "the outputs are as without delegates\n";
  }
  std::string text = absl::StrCat(OneLine(difference), "\n");
  if (nodes.empty()) {
    return absl::StrCat(text,
                        "passes with the same nodes of this subgraph alone: "
                        "the cause is elsewhere, or changes from run to run\n");
  }
  absl::StrAppend(&text, "differs with these nodes delegated, and not without ",
                  "any one of them:\n");
  for (const DelegatedOperator& op : nodes) {
    absl::StrAppend(&text, "  node ", op.node, ": ", OneLine(op.place), ", by ",
                    OneLine(op.delegate), "\n");
  }
  return text;
}

absl::StatusOr<DelegateBisection> BisectDelegates(const Model& model,
                                                  const RunOptions& options,
                                                  double tolerance) {
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  if (options.invocations == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": 0 invocations; expected 1 or more"));
  }
  return DelegateBisector(model, options, tolerance).Run();
}

}  // namespace stowage::harness
