// SPDX-License-Identifier: Apache-2.0
#include "src/harness/turns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/carry_outputs.h"
#include "stowage/error_payload.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/programs/combine.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

absl::Status CheckHandOver(absl::Span<const TurnEntry> entries,
                           const HandOver& handed) {
  if (handed.from >= handed.to || handed.to >= entries.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("turn ", handed.from, " hands on to turn ", handed.to,
                     "; expected a later one below ", entries.size()));
  }
  const auto graph = [&](size_t turn) -> const SubgraphSpec& {
    return entries[turn].model->subgraphs()[entries[turn].subgraph];
  };
  return CheckHanded(graph(handed.from), handed.output, graph(handed.to),
                     handed.input);
}

}  // namespace

absl::Status CheckTurns(absl::Span<const TurnEntry> entries,
                        absl::Span<const HandOver> hand_overs) {
  std::set<std::pair<const Model*, size_t>> seen;
  for (const TurnEntry& entry : entries) {
    absl::Status status = entry.model->CheckSubgraph(entry.subgraph);
    if (!status.ok()) return status;
    if (!seen.emplace(entry.model, entry.subgraph).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(entry.model->name(), ": subgraph ", entry.subgraph,
                       " is listed twice; expected each subgraph once"));
    }
  }
  std::set<std::pair<size_t, size_t>> inputs;
  for (const HandOver& handed : hand_overs) {
    absl::Status status = CheckHandOver(entries, handed);
    if (!status.ok()) return AtPlace("a hand-over (--hand)", status);
    if (!inputs.emplace(handed.to, handed.input).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", handed.input, " of turn ", handed.to,
                       " gets two outputs; expected one"));
    }
  }
  return absl::OkStatus();
}

Turns::Turns(std::vector<TurnEntry> entries, std::vector<HandOver> hand_overs)
    : entries_(std::move(entries)), hand_overs_(std::move(hand_overs)) {
  for (const TurnEntry& entry : entries_) {
    const auto found = absl::c_find(models_, entry.model);
    model_of_.push_back(static_cast<size_t>(found - models_.begin()));
    if (found == models_.end()) models_.push_back(entry.model);
  }
}

absl::Status Turns::Load(
    const OperatorResolver& resolver,
    const std::function<InterpreterOptions(size_t model)>& options_of) {
  for (size_t i = 0; i < models_.size(); ++i) {
    auto interpreter =
        Interpreter::Create(*models_[i], resolver, options_of(i));
    if (!interpreter.ok()) return interpreter.status();
    interpreters_.push_back(*std::move(interpreter));
  }
  return absl::OkStatus();
}

absl::Status Turns::Give(size_t turn) {
  Subgraph& net = graph(turn);
  for (const HandOver& handed : hand_overs_) {
    if (handed.to != turn) continue;
    Tensor& input = net.input(handed.input);
    const std::vector<uint8_t>& bytes = kept_[{handed.from, handed.output}];
    if (input.bytes != bytes.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input ", handed.input, " has ", input.bytes, " bytes; expected ",
          bytes.size(), ", as many as output ", handed.output, " of turn ",
          handed.from, ", which is handed to it (--hand)"));
    }
    std::copy(bytes.begin(), bytes.end(), input.as<uint8_t>());
  }
  return absl::OkStatus();
}

absl::Status Turns::Invoke(size_t turn) {
  Subgraph& net = graph(turn);
  absl::Status status = net.Invoke();
  if (!status.ok()) return status;
  for (const HandOver& handed : hand_overs_) {
    if (handed.from != turn) continue;
    const Tensor& output = net.output(handed.output);
    const auto* const data = output.as<uint8_t>();
    kept_[{turn, handed.output}].assign(data, data + output.bytes);
  }
  return status;
}

void Turns::Reset() {
  for (const auto& interpreter : interpreters_) interpreter->Reset();
}

std::vector<ShadowedOperator> Turns::ShadowedOperators() const {
  std::vector<ShadowedOperator> all;
  for (const auto& interpreter : interpreters_) {
    for (ShadowedOperator& op : interpreter->ShadowedOperators()) {
      all.push_back(std::move(op));
    }
  }
  return all;
}

absl::Status Turns::At(size_t turn, const absl::Status& status) const {
  if (status.ok() || count() == 1) return status;
  const TurnEntry& entry = entries_[turn];
  return AtPlace(
      absl::StrCat(entry.model->name(), ": subgraph ", entry.subgraph), status);
}

}  // namespace stowage::harness
