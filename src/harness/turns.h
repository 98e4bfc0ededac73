// SPDX-License-Identifier: Apache-2.0
// Owns the interpreters of one or more models, and runs several of their
// subgraphs one after another in each invocation. Each run of a subgraph is a
// turn. A turn may pass outputs to later turns.
#ifndef STOWAGE_SRC_HARNESS_TURNS_H_
#define STOWAGE_SRC_HARNESS_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/programs/combine.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// A subgraph that runs once in each invocation.
struct TurnEntry {
  const Model* model = nullptr;
  size_t subgraph = 0;
};

// Checks that the subgraph of each entry exists in its model, that no subgraph
// is listed twice, that the outputs, inputs and turns of `hand_overs` exist,
// and that each output has the same type as its input. Error: InvalidArgument.
absl::Status CheckTurns(absl::Span<const TurnEntry> entries,
                        absl::Span<const HandOver> hand_overs);

class Turns {
 public:
  // Requires that CheckTurns accepts the arguments, and that the models outlive
  // this object.
  Turns(std::vector<TurnEntry> entries, std::vector<HandOver> hand_overs);

  size_t count() const { return entries_.size(); }
  // Returns the number of models. Models are numbered from 0 in the order of
  // their first occurrence.
  size_t models() const { return models_.size(); }

  // Creates the interpreters, with the options that `options_of` returns for
  // each model. Errors: those of Interpreter::Create.
  absl::Status Load(
      const OperatorResolver& resolver,
      const std::function<InterpreterOptions(size_t model)>& options_of);

  Interpreter& interpreter(size_t model) { return *interpreters_[model]; }
  const TurnEntry& entry(size_t turn) const { return entries_[turn]; }
  size_t ModelOf(size_t turn) const { return model_of_[turn]; }
  Subgraph& graph(size_t turn) {
    return interpreters_[model_of_[turn]]->subgraph(entries_[turn].subgraph);
  }

  // Copies the outputs that earlier turns have passed to this turn to the
  // inputs of the graph. Requires that these inputs have memory. Error:
  // InvalidArgument if an input and its output differ in size.
  absl::Status Give(size_t turn);
  // Invokes the graph, and keeps copies of the outputs that it passes to later
  // turns. Errors: those of Invoke.
  absl::Status Invoke(size_t turn);

  // Reset returns all interpreters to their initial state. ShadowedOperators
  // lists the operators of all interpreters that run as shadows.
  void Reset();
  std::vector<ShadowedOperator> ShadowedOperators() const;
  // Returns `status`, with the place of the turn in front of its message if it
  // is an error and there are several turns.
  absl::Status At(size_t turn, const absl::Status& status) const;

 private:
  std::vector<TurnEntry> entries_;
  std::vector<HandOver> hand_overs_;
  std::vector<const Model*> models_;
  std::vector<size_t> model_of_;  // by turn
  std::vector<std::unique_ptr<Interpreter>> interpreters_;
  // The bytes of the outputs that are passed to later turns, by turn and
  // output.
  std::map<std::pair<size_t, size_t>, std::vector<uint8_t>> kept_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_TURNS_H_
