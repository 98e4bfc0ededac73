// SPDX-License-Identifier: Apache-2.0
// Tests that faults of an operator's kernel become errors that name the
// operator. delegate_faults_test.cc has the faults of delegates.
#include <cstddef>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/byte_models.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

absl::Status KeepShape(OperatorContext& context) {
  return context.ResizeOutput(0, context.input(0).shape);
}

absl::Status MakeDynamic(OperatorContext& context) {
  context.MakeOutputDynamic(0);
  return absl::OkStatus();
}

absl::Status DoNothing(OperatorContext& /*context*/) {
  return absl::OkStatus();
}

struct KernelFault {
  const char* name;
  KernelFunction prepare;
  KernelFunction invoke;
  absl::StatusCode code;
  const char* message;
};

void PrintTo(const KernelFault& fault, std::ostream* out) {
  *out << fault.name;
}

class KernelFaults : public ::testing::TestWithParam<KernelFault> {};

// The faulty operator writes the output of the graph or the input of another
// operator, because the memory of these two tensors lasts differently long.
TEST_P(KernelFaults, AreErrorsOfTheOperator) {
  for (const bool is_last : {false, true}) {
    SCOPED_TRACE(is_last);
    ByteModel model;
    const size_t written = model.Add("Faulty", {model.AddInput(4)});
    model.MarkOutput(is_last ? written : model.Add("Mix", {written}));
    const LoadedModel loaded(model.spec());
    OperatorResolver resolver = ByteOperators();
    resolver.Add(
        CustomOperator("Faulty", GetParam().prepare, GetParam().invoke));
    const auto interpreter = Interpreter::Create(*loaded, resolver);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    Subgraph& graph = (*interpreter)->primary();
    absl::Status status = graph.Allocate();
    for (size_t i = 0; status.ok() && i < 2; ++i) {
      status = FeedBytes(graph, i);
      if (status.ok()) status = graph.Invoke();
    }
    EXPECT_THAT(status,
                FailsWith(GetParam().code,
                          AllOf(HasSubstr("operator 0 (CUSTOM \"Faulty\"): "),
                                HasSubstr(GetParam().message))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, KernelFaults,
    ::testing::Values(
        KernelFault{"NeverResizes", MakeDynamic, DoNothing, kPrecondition,
                    "left without a shape by Invoke; expected a call of "
                    "ResizeOutput in every Invoke"},
        KernelFault{"ResizesOnlyOnce", MakeDynamic,
                    [was_called = false](OperatorContext& context) mutable {
                      if (was_called) return absl::OkStatus();
                      was_called = true;
                      return KeepShape(context);
                    },
                    kPrecondition, "left without a shape by Invoke"},
        KernelFault{"ResizesAnotherOutput",
                    [](OperatorContext& context) {
                      return context.ResizeOutput(1, {4});
                    },
                    DoNothing, absl::StatusCode::kInvalidArgument,
                    "output 1: no such output; expected one of the 1 outputs"},
        KernelFault{"MakesAnotherOutputDynamic",
                    [](OperatorContext& context) {
                      context.MakeOutputDynamic(1);
                      return KeepShape(context);
                    },
                    DoNothing, absl::StatusCode::kInvalidArgument,
                    "output 1: no such output"},
        KernelFault{"MakesDynamicInInvoke", KeepShape, MakeDynamic,
                    kPrecondition,
                    "output 0: made dynamic in Invoke; expected in Prepare"},
        KernelFault{
            "AddsTemporaryInInvoke", KeepShape,
            [](OperatorContext& context) {
              return context.AddTemporary(ElementType::kUint8, {4}).status();
            },
            kPrecondition,
            "temporary: requested in Invoke; expected in Prepare"},
        KernelFault{"RequestsDataInInvoke", KeepShape,
                    [](OperatorContext& context) {
                      return context.NewPersistent<float>(4).status();
                    },
                    kPrecondition,
                    "operator data: requested in Invoke; expected in Prepare"},
        KernelFault{"ThrowsInPrepare",
                    [](OperatorContext&) -> absl::Status {
                      throw std::runtime_error("planted");
                    },
                    DoNothing, absl::StatusCode::kInternal,
                    "Prepare threw: planted; expected an error"},
        KernelFault{"ThrowsANumber", KeepShape,
                    [](OperatorContext&) -> absl::Status { throw 7; },
                    absl::StatusCode::kInternal, "Invoke threw an exception"},
        KernelFault{
            "RunsOutOfMemory", KeepShape,
            [](OperatorContext&) -> absl::Status { throw std::bad_alloc(); },
            absl::StatusCode::kResourceExhausted,
            "Invoke: the system has no more memory"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
