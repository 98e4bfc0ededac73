// SPDX-License-Identifier: Apache-2.0
// Runs any model. The library must refuse the model, or compute the same bytes
// with and without tensors that share memory. No operator may access bytes that
// it does not own.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fuzz/bounded_operators.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/model_input.h"
#include "fuzz/model_mutator.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Fills the inputs with zeros in the first invocation. In later invocations,
// fills them with numbers that all differ; read as floating point, these
// numbers have all magnitudes.
absl::Status Feed(Subgraph& graph, size_t invocation) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    Tensor& tensor = graph.input(i);
    if (tensor.data == nullptr || tensor.is_constant()) continue;
    auto* const bytes = static_cast<uint8_t*>(tensor.data);
    for (size_t at = 0; at < tensor.bytes; ++at) {
      bytes[at] = static_cast<uint8_t>(invocation * (at * 37 + i * 11 + 1));
    }
  }
  return absl::OkStatus();
}

void Fuzz(const Model& model, const std::string& strategy,
          ShadowMode shadow = ShadowMode::kNone) {
  CheckOptions options;
  options.plan.shadow = shadow;
  options.plan.strategy = strategy;
  options.plan.memory_limit = kMemoryLimit;
  options.plan.max_turns = kMaxTurns;
  options.plan.guard_bytes = 64;
  options.invocations = 2;
  options.feed = Feed;
  options.compares_all = true;
  const absl::StatusOr<CheckReport> report =
      CheckPlan(model, BoundedOperators(), options);
  if (report.ok()) {
    if (report->is_safe()) return;
    // If a model runs without sharing but fails with sharing, it must have run
    // out of memory or time.
    if (absl::IsResourceExhausted(report->finding)) return;
    Check(false, absl::StrCat(strategy, ": ", report->Text()));
  }
  const absl::Status& status = report.status();
  Check(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status) ||
            absl::IsOutOfRange(status) || absl::IsAborted(status),
        status.ToString());
}

}  // namespace
}  // namespace stowage::harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = stowage::ParseModelInput(data, size);
  if (model == nullptr) return 0;
  stowage::harness::Fuzz(*model, "greedy_by_size");
  stowage::harness::Fuzz(*model, "arena_best_fit");
  stowage::harness::Fuzz(*model, "greedy_by_size",
                         stowage::harness::ShadowMode::kMissing);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  return stowage::MutateModel(data, size, max_size, seed);
}
