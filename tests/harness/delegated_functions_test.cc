// SPDX-License-Identifier: Apache-2.0
// Tests delegates inside the subgraphs that IF, WHILE and STABLEHLO_COMPOSITE
// call. Results and checks must be the same as without delegates. If a delegate
// fails, the state of all subgraphs must be unchanged.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/delegated_run.h"
#include "tests/harness/fake_delegate.h"
#include "tests/support/net_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::IsOk;
using tflite::BuiltinOperator;

// Fills floats with small numbers and integers with the number of the
// invocation. The integers determine how many iterations loops run and which
// branch is taken.
absl::Status FeedFunctions(Subgraph& graph, size_t invocation) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    Tensor& input = graph.input(i);
    for (int64_t k = 0; k < input.elements(); ++k) {
      if (input.type == ElementType::kFloat32) {
        input.as<float>()[k] = static_cast<float>(k % 7 + 1);
      } else if (input.type == ElementType::kInt32) {
        input.as<int32_t>()[k] = static_cast<int32_t>(invocation);
      } else {
        return absl::InternalError("an input of another type");
      }
    }
  }
  return absl::OkStatus();
}

// Returns a delegate that claims, in each subgraph for which `is_claimed`
// returns true, all operators that call no subgraphs and have no side effects.
FakeSpec ClaimingIn(std::function<bool(size_t subgraph)> is_claimed) {
  FakeSpec spec;
  spec.claim =
      [is_claimed = std::move(is_claimed)](
          const DelegateGraph& graph) -> absl::StatusOr<std::vector<int>> {
    std::vector<int> claims;
    for (const int id : graph.execution_plan()) {
      const OperatorSpec& op = graph.node(id);
      if (is_claimed(graph.subgraph()) && !CallsSubgraphs(op) &&
          op.name != "VAR_HANDLE" && op.name != "READ_VARIABLE" &&
          op.name != "ASSIGN_VARIABLE" && op.name != "SVDF") {
        claims.push_back(id);
      }
    }
    return claims;
  };
  return spec;
}

bool IsCalled(size_t subgraph) { return subgraph > 0; }

std::vector<std::vector<Bytes>> RunFunctions(const Model& model,
                                             InterpreterOptions options,
                                             size_t invocations = 5) {
  PoisonChecker poison(0x7F);
  TouchChecker touch;
  options.observers = {&poison, &touch};
  options.guard_bytes = 256;
  const auto interpreter = Interpreter::Create(model, options);
  EXPECT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  EXPECT_THAT(graph.Allocate(), IsOk());
  std::vector<std::vector<Bytes>> all;
  for (size_t i = 0; i < invocations; ++i) {
    EXPECT_THAT(FeedFunctions(graph, i), IsOk());
    EXPECT_THAT(graph.Invoke(), IsOk());
    std::vector<Bytes>& outputs = all.emplace_back();
    for (size_t k = 0; k < graph.output_count(); ++k) {
      outputs.push_back(BytesOf(graph.output(k)));
    }
  }
  return all;
}

class DelegatedFunctions : public testing::TestWithParam<const char*> {
 protected:
  DelegatedFunctions() {
    auto model = Model::Read(absl::StrCat(STOWAGE_SOURCE_DIR,
                                          "/tests/data/control_flow/",
                                          GetParam(), ".tflite"));
    EXPECT_THAT(model.status(), IsOk());
    model_ = *std::move(model);
  }
  std::unique_ptr<const Model> model_;
};

INSTANTIATE_TEST_SUITE_P(All, DelegatedFunctions,
                         testing::Values("made_if_plain", "made_if_nested",
                                         "made_while_in_if", "made_while_swap",
                                         "made_while_fibonacci",
                                         "made_while_reads_late"),
                         [](const testing::TestParamInfo<const char*>& tested) {
                           return std::string(tested.param);
                         });

TEST_P(DelegatedFunctions, ComputeWhatOperatorsCompute) {
  const auto expected = RunFunctions(*model_, {});
  for (const bool is_transparent : {false, true}) {
    for (const bool has_buffers : {false, true}) {
      if (is_transparent && has_buffers) continue;
      SCOPED_TRACE(absl::StrCat(is_transparent, has_buffers));
      FakeSpec spec = ClaimingIn(IsCalled);
      spec.is_transparent = is_transparent;
      spec.has_buffers = has_buffers;
      const auto log = std::make_shared<FakeLog>();
      InterpreterOptions options;
      options.delegates = {RequestOf(spec, log)};
      EXPECT_EQ(RunFunctions(*model_, options), expected);
      EXPECT_GT(log->invocations, 0U);
      EXPECT_TRUE(log->IsClean());
      CheckOptions check;
      check.plan.delegates = {RequestOf(spec)};
      check.invocations = 4;
      check.compares_all = true;
      check.feed = FeedFunctions;
      const auto report = CheckPlan(*model_, BuiltinOperators(), check);
      ASSERT_THAT(report.status(), IsOk());
      EXPECT_TRUE(report->is_safe()) << report->Text();
    }
  }
}

TEST_P(DelegatedFunctions, GoOnWithoutADelegateThatFails) {
  const auto expected = RunFunctions(*model_, {});
  for (const size_t call : {1u, 2u, 5u}) {
    SCOPED_TRACE(call);
    FakeSpec spec = ClaimingIn(IsCalled);
    spec.after_invoke = [left = std::make_shared<size_t>(call)](
                            PartitionContext&) {
      return --*left == 0 ? absl::AbortedError("planted") : absl::OkStatus();
    };
    InterpreterOptions options;
    options.delegate_fallback = true;
    options.delegates = {RequestOf(spec)};
    EXPECT_EQ(RunFunctions(*model_, options), expected);
  }
}

// Returns a model that calls a subgraph with state and then adds the input to
// the result. The called subgraph has a variable tensor and assigns a resource
// variable.
ModelSpec StatefulCallee() {
  NetBuilder net;
  const auto handle = [&net] {
    net.SetType(tflite::TensorType::RESOURCE);
    const int32_t tensor = net.Tensor({1});
    net.SetType(tflite::TensorType::FLOAT32);
    tflite::VarHandleOptionsT options;
    options.shared_name = "sum";
    net.AddOperator(BuiltinOperator::VAR_HANDLE, {}, {tensor})
        .options.Set(options);
    return tensor;
  };
  const auto add = [&net](int32_t a, int32_t b) {
    return net.Add(BuiltinOperator::ADD, {a, b}, {1, 2}, tflite::AddOptionsT());
  };
  const int32_t in = net.Input({1, 2});
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 2;
  net.AddOperator(BuiltinOperator::CALL_ONCE, {}, {}).options.Set(once);
  const int32_t out = net.Tensor({1, 2});
  tflite::StableHLOCompositeOptionsT composite;
  composite.name = "state";
  composite.decomposition_subgraph_index = 1;
  net.AddOperator(BuiltinOperator::STABLEHLO_COMPOSITE, {in}, {out})
      .options_2.Set(composite);
  net.MarkOutput(add(out, in));
  net.BeginSubgraph();
  const int32_t argument = net.Input({1, 2});
  const int32_t feature = net.Constant<float>({2, 2}, {1, 2, 3, 4});
  const int32_t time = net.Constant<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const int32_t state = net.Variable({1, 6});
  tflite::SVDFOptionsT svdf;
  svdf.rank = 1;
  const int32_t filtered =
      net.Add(BuiltinOperator::SVDF, {argument, feature, time, -1, state},
              {1, 2}, svdf);
  const int32_t resource = handle();
  const int32_t sum = add(
      net.Add(BuiltinOperator::READ_VARIABLE, {resource}, {1, 2}), filtered);
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {resource, sum}, {});
  net.MarkOutput(add(sum, filtered));
  net.BeginSubgraph();
  const int32_t zeros = net.Constant<float>({1, 2}, {0, 0});
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {handle(), zeros}, {});
  return net.spec();
}

// A delegate in the calling or in the called subgraph fails after the called
// subgraph has changed its state.
TEST(DelegatedState, IsRestoredInCalledSubgraphs) {
  const LoadedModel model(StatefulCallee());
  const auto expected = RunFunctions(*model, {});
  EXPECT_NE(expected[1], expected[2]);
  for (const bool state_in_place : {false, true}) {
    for (const bool is_in_entry : {false, true}) {
      for (const size_t call : {1u, 3u}) {
        SCOPED_TRACE(absl::StrCat(state_in_place, is_in_entry, call));
        FakeSpec spec = ClaimingIn(
            [is_in_entry](size_t k) { return (k == 0) == is_in_entry; });
        spec.after_invoke =
            [left = std::make_shared<size_t>(call)](PartitionContext&) {
              return --*left == 0 ? absl::AbortedError("planted")
                                  : absl::OkStatus();
            };
        InterpreterOptions options;
        options.state_in_place = state_in_place;
        options.delegate_fallback = true;
        options.delegates = {RequestOf(spec)};
        EXPECT_EQ(RunFunctions(*model, options), expected);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::harness
