// SPDX-License-Identifier: Apache-2.0
// Invokes a model repeatedly, with or without a delegate, and keeps the best
// time. To relate times to the speed of the machine, use reference_work.h.
#ifndef STOWAGE_BENCH_TIMED_GRAPH_H_
#define STOWAGE_BENCH_TIMED_GRAPH_H_

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"

namespace stowage::bench {

class TimedGraph {
 public:
  // Creates the graph. `delegate` is the name and options of a delegate, or
  // empty for none. Requires that the model outlives this object. Errors: those
  // of the interpreter and of the delegate.
  absl::Status Create(const Model& model, const std::string& delegate,
                      const harness::InterpreterOptions& options = {});

  // Invokes the model once, with inputs of zeros. Errors: those of Invoke.
  absl::Status Measure();

  harness::Subgraph& graph() { return interpreter_->primary(); }
  // Returns the best time in milliseconds. Before the first Measure, the time
  // is infinite.
  double best_ms() const { return best_ms_; }

 private:
  std::unique_ptr<harness::Interpreter> interpreter_;
  double best_ms_ = std::numeric_limits<double>::infinity();
};

// Returns the milliseconds that `work` takes.
double MillisecondsOf(const std::function<void()>& work);

// Sets all inputs to zeros. Real inputs are not needed, because the time of
// kernels does not depend on the values.
void FillInputs(harness::Subgraph* graph);

// Returns the name of a model: "net" for "models/net.tflite".
std::string ModelName(const std::string& path);

// Prints a row for each model. If a model fails, writes its error to standard
// error and prints no further rows. Returns the exit code of the program.
int PrintRows(absl::Span<char* const> paths,
              const std::function<absl::Status(const std::string&)>& print_row);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_TIMED_GRAPH_H_
