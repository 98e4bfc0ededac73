// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/reference/reference_run.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

const std::vector<std::string>& ReferenceTexts() {
  static const auto* const texts = new std::vector<std::string>{
      "reference", "reference:memory=transparent", "reference:memory=private",
      "reference:kind=dynamic", "reference:kind=dynamic,memory=private"};
  return *texts;
}

bool IsDynamicText(const std::string& text) {
  return absl::StrContains(text, "kind=dynamic");
}

absl::StatusOr<ReferenceRun> RunWith(const Model& model,
                                     const InterpreterOptions& options,
                                     const std::vector<ReferenceUse>& uses,
                                     size_t invocations) {
  auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  ReferenceRun run;
  run.is_dynamic = graph.plan().prepared_nodes < graph.execution_plan().size();
  for (const ReferenceUse& use : uses) {
    if (!status.ok()) break;
    absl::StatusOr<std::unique_ptr<Delegate>> delegate =
        CreateDelegate(use.text);
    status = delegate.status();
    if (!status.ok()) break;
    status = graph.ApplyDelegate(
        std::shared_ptr<Delegate>(*std::move(delegate)), use.options);
  }
  InputSource feed(/*seed=*/1);
  for (size_t i = 0; i < invocations; ++i) {
    if (status.ok()) status = feed(graph, i);
    if (status.ok()) status = graph.Invoke();
    if (!status.ok()) return status;
    for (size_t j = 0; j < graph.output_count(); ++j) {
      const auto bytes = graph.output(j).span<uint8_t>();
      run.outputs.emplace_back(bytes.begin(), bytes.end());
    }
  }
  run.plan = graph.plan();
  run.delegates = graph.delegates();
  return run;
}

}  // namespace stowage::harness
