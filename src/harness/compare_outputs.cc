// SPDX-License-Identifier: Apache-2.0
#include "src/harness/compare_outputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Returns whether the output still has its value after the operator has run. In
// a program, a result that no operator reads loses its memory as soon as the
// call returns.
bool IsKept(const Execution& at, size_t tensor) {
  if (at.plan->program == nullptr || at.point) return true;
  const ArenaGraph& graph = at.plan->graph;
  return absl::c_linear_search(graph.outputs, tensor) ||
         absl::c_any_of(graph.nodes, [&](const ArenaNode& node) {
           return absl::c_linear_search(node.inputs, tensor);
         });
}

// Returns the invocation in which the operator runs. For a called subgraph,
// this is the invocation of the entry at the start of the chain of calls.
size_t InvocationOf(const Execution& at) {
  const Execution* entry = &at;
  while (entry->caller != nullptr) entry = entry->caller;
  return entry->invocation;
}

}  // namespace

absl::optional<Difference> CompareTensors(const Tensor& expected,
                                          const Tensor& found) {
  Difference difference;
  if (expected.bytes != found.bytes) {
    difference.is_size = true;
    difference.expected = expected.bytes;
    difference.found = found.bytes;
    return difference;
  }
  const auto* a = expected.as<uint8_t>();
  const auto* b = found.as<uint8_t>();
  size_t bytes = found.bytes;
  if (bytes == 0) {
    // Tensors without bytes are compared by the digests that shadows compute
    // for them.
    a = reinterpret_cast<const uint8_t*>(&expected.digest);
    b = reinterpret_cast<const uint8_t*>(&found.digest);
    bytes = sizeof(found.digest);
  }
  if (a == nullptr || b == nullptr || std::memcmp(a, b, bytes) == 0) {
    return absl::nullopt;
  }
  difference.byte =
      static_cast<size_t>(std::mismatch(a, a + bytes, b).first - a);
  difference.expected = a[difference.byte];
  difference.found = b[difference.byte];
  return difference;
}

Difference Placed(Difference difference, const SubgraphSpec& graph,
                  size_t subgraph, size_t invocation, size_t tensor) {
  difference.subgraph = subgraph;
  difference.invocation = invocation;
  difference.tensor = tensor;
  difference.node = graph.ProducerOf(tensor);
  difference.text = absl::StrCat(
      "invocation ", invocation, ", subgraph ", subgraph,
      difference.node
          ? absl::StrCat(", ", graph.OperatorPlace(*difference.node))
          : "",
      ", ", graph.TensorPlace(tensor), ": ",
      difference.is_size ? absl::StrCat(difference.found, " bytes; expected ",
                                        difference.expected)
                         : absl::StrFormat("byte %d is 0x%02x; expected 0x%02x",
                                           difference.byte, difference.found,
                                           difference.expected),
      ", as without sharing");
  return difference;
}

absl::Status CalledOutputs::AfterOperator(const Execution& at) {
  if (!IsCalled(at)) return absl::OkStatus();
  const std::string chain = at.Chain();
  for (const size_t t : at.op->outputs) {
    if (t == kAbsent) continue;
    const Tensor& tensor = at.tensors[t];
    const size_t size = tensor.data == nullptr ? 0 : tensor.bytes;
    bytes_ += sizeof(Output) + chain.size() + size;
    if (bytes_ > kMaxBytes) return absl::OkStatus();
    Output& output = outputs_[{chain, t}];
    output.tensor = tensor;
    output.bytes.assign(tensor.as<uint8_t>(), tensor.as<uint8_t>() + size);
    output.tensor.data = size == 0 ? nullptr : output.bytes.data();
  }
  return absl::OkStatus();
}

const Tensor* CalledOutputs::Find(const Execution& at, size_t tensor) const {
  const auto found = outputs_.find({at.Chain(), tensor});
  return found == outputs_.end() ? nullptr : &found->second.tensor;
}

absl::Status OutputComparer::AfterOperator(const Execution& at) {
  for (const size_t t : at.op->outputs) {
    if (t == kAbsent || at.graph->tensors[t].is_variable ||
        absl::c_linear_search(at.stale, t) || !IsKept(at, t)) {
      continue;
    }
    const Tensor* const expected =
        called_.IsCalled(at) ? called_.Find(at, t)
                             : &apart_.subgraph(at.subgraph).tensor(t);
    if (expected == nullptr) continue;
    const auto difference = CompareTensors(*expected, at.tensors[t]);
    if (!difference) continue;
    difference_ =
        Placed(*difference, *at.graph, at.subgraph, InvocationOf(at), t);
    if (at.caller != nullptr) {
      absl::StrAppend(&difference_->text, "; called by ", at.caller->Chain(),
                      ", call ", at.caller->calls);
    }
    return absl::AbortedError("its output differs from that without sharing");
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
