// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/delegated_run.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {

ModelSpec BranchedModel() {
  ByteModel model;
  const size_t in = model.AddInput(16);
  const size_t state = model.AddVariable(24);
  const size_t t2 = model.Add("Mix", {in}, 4);
  const size_t t3 = model.Add("MixInPlace", {t2, in});
  const size_t t4 = model.Add("Scratch", {t3}, 1);
  const size_t t5 = model.Add("Mix", {t4, t2});
  const size_t t6 = model.Add("Accumulate", {t5, state});
  model.MarkOutput(model.Add("Mix", {t6, t4}, 9));
  return model.spec();
}

ByteRun::ByteRun(const ModelSpec& spec, const InterpreterOptions& options,
                 const OperatorResolver& resolver)
    : model_(spec) {
  InterpreterOptions all = options;
  if (all.strategy.empty()) all.strategy = "greedy_by_size";
  if (all.guard_bytes == 0) all.guard_bytes = 64;
  auto interpreter = Interpreter::Create(*model_, resolver, all);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  interpreter_ = *std::move(interpreter);
}

absl::Status ByteRun::Apply(const FakeSpec& spec,
                            std::shared_ptr<FakeLog> log) {
  return graph().ApplyDelegate(
      std::make_shared<FakeDelegate>(spec, std::move(log)));
}

Bytes ByteRun::Invoke(size_t invocation) {
  EXPECT_TRUE(FeedBytes(graph(), invocation).ok());
  const absl::Status status = graph().Invoke();
  EXPECT_TRUE(status.ok()) << status;
  Bytes all;
  for (size_t i = 0; status.ok() && i < graph().output_count(); ++i) {
    const Bytes bytes = BytesOf(graph().output(i));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

std::vector<Bytes> ByteRun::InvokeAll(size_t invocations) {
  std::vector<Bytes> all;
  for (size_t i = 0; i < invocations; ++i) all.push_back(Invoke(i));
  return all;
}

std::vector<Bytes> ExpectedOutputs(const ModelSpec& spec, size_t invocations) {
  ByteRun run(spec);
  EXPECT_TRUE(run.graph().Allocate().ok());
  return run.InvokeAll(invocations);
}

Bytes BytesOf(const Tensor& tensor) {
  if (tensor.data == nullptr) return {};
  const auto* const data = tensor.as<uint8_t>();
  return {data, data + tensor.bytes};
}

std::string Describe(const Subgraph& graph) {
  std::string text = absl::StrCat(
      "plan ", absl::StrJoin(graph.execution_plan(), " "), "\narena ",
      graph.plan().arena_bytes, " persistent ", graph.plan().persistent_bytes,
      " operators ", graph.operator_data_bytes(), " by ", graph.plan().strategy,
      " tasks ", graph.plan().prepared_nodes, "\n");
  for (size_t t = 0; t < graph.plan().graph.tensors.size(); ++t) {
    const bool is_temporary = t >= graph.spec().tensors.size();
    const Lifetime& lifetime = graph.plan().lifetimes[t];
    if (!is_temporary) absl::StrAppend(&text, t, ": ");
    if (!lifetime.first) {
      // The tensor is inside a partition, is a constant, or is a temporary of a
      // node that was replaced.
      if (!is_temporary) absl::StrAppend(&text, "no tasks\n");
      continue;
    }
    const auto& offset = graph.plan().offsets[t];
    absl::StrAppend(&text, graph.plan().graph.tensors[t].bytes, " at ",
                    offset ? absl::StrCat(*offset) : "-", " tasks ",
                    *lifetime.first, " to ",
                    lifetime.last ? absl::StrCat(*lifetime.last) : "the end");
    if (!is_temporary) {
      absl::StrAppend(&text, " root ", lifetime.root, " ",
                      absl::StrJoin(graph.tensor(t).shape, "x"),
                      graph.tensor(t).data == nullptr ? " no data" : "");
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

FakeSpec Claiming(std::vector<int> nodes) {
  FakeSpec spec;
  spec.claims = std::move(nodes);
  return spec;
}

FakeSpec Named(const std::string& name, std::vector<int> nodes) {
  FakeSpec spec = Claiming(std::move(nodes));
  spec.info.name = name;
  return spec;
}

DelegateRequest RequestOf(const FakeSpec& spec,
                          const std::shared_ptr<FakeLog>& log) {
  return CreatedBy([=] { return std::make_shared<FakeDelegate>(spec, log); });
}

}  // namespace stowage::harness
