// SPDX-License-Identifier: Apache-2.0
// Checks that a model computes the same under a plan as without sharing, and
// names the operator or the plan at fault. To check a plan without running the
// model use verify.h.
//
//   CheckOptions options;
//   options.plan.strategy = "greedy_by_size";
//   options.feed = [&](Subgraph& net, size_t invocation) { ...fill inputs... };
//   absl::StatusOr<CheckReport> report =
//       CheckPlan(*model, BuiltinOperators(), options);
//   if (report.ok() && !report->is_safe()) std::cerr << report->Text();
//
// CheckPlan runs a model under the plan and under no sharing at all, and
// compares. The two checks that it runs along with are observers, for programs
// that run models themselves:
//
//   PoisonChecker  finds accesses to bytes of the arena that no live tensor has
//   TouchChecker   finds writes to a tensor that the operator does not own
//
// What an observer finds is a DataLoss error that names the operator, the
// tensor and the byte; no operator of this library fails with that code. One
// observer serves one interpreter. Memory outside arenas that no tensor has,
// such as operator data, is left to the sanitizers.
#ifndef STOWAGE_HARNESS_CHECKS_H_
#define STOWAGE_HARNESS_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

struct ByteRange {  // [begin, end)
  size_t begin = 0;
  size_t end = 0;
};

// Keeps every byte of the arena that belongs to no live tensor filled with a
// pattern while operators run: bytes of tensors outside their lifetime,
// alignment padding, and guard bytes. Outputs and temporaries hold it too when
// their operator begins.
//
// Finds: an operator that writes such a byte, unless it writes the pattern; an
// operator that reads a tensor outside its lifetime. In builds with the
// address sanitizer these bytes are inaccessible while operators run, so that
// reading them ends the program with a report. In other builds an operator that
// reads them computes with the pattern: two runs with different patterns then
// differ.
//
// On several streams the bytes of a tensor are filled once the last of its
// users has finished, while other operators run.
//
// O(arena) for each operator.
class PoisonChecker : public ExecutionObserver {
 public:
  explicit PoisonChecker(uint8_t pattern) : pattern_(pattern) {}

  absl::Status BeforeOperator(const Execution& at) override;
  absl::Status AfterOperator(const Execution& at) override;

 private:
  struct State {
    const uint8_t* arena = nullptr;
    size_t arena_bytes = 0;
    size_t run = 0;
    std::vector<ByteRange> held;  // exempt from the pattern
  };

  uint8_t pattern_;
  std::map<size_t, State> states_;  // by subgraph
};

// Copies, before each operator, every live tensor that the operator neither
// writes nor takes over in place, and compares afterwards: those of both
// arenas, those of memory of their own or of the caller's, and the constants
// that it reads. A tensor that is taken over in place and still read later must
// not change either. In memory of the caller's a tensor may be overwritten
// after its last task by one that the caller has put there. On several streams
// what another operator writes meanwhile is left out; which of those that run
// at once has changed a tensor is not known.
//
// O(live bytes) for each operator.
class TouchChecker : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& at) override;
  absl::Status AfterOperator(const Execution& at) override;

 private:
  struct Copy {
    size_t tensor = 0;
    size_t other_writes = 0;  // on several streams, so far
    std::vector<uint8_t> bytes;
  };
  // By subgraph and node; one may run within, or beside, another.
  std::map<std::pair<size_t, size_t>, std::vector<Copy>> copies_;
};

struct CheckOptions {
  // The plan under test: strategy or planner, alignment, lifetimes of inputs.
  // Its observers see the run under the plan, and no other.
  InterpreterOptions plan;
  size_t subgraph = 0;
  size_t invocations = 1;  // 1 or more
  // Called before each invocation, in every run, to fill inputs: always the
  // same for the same invocation. Each run has a copy of its own. The subgraph
  // is allocated when it is called first; it may resize inputs and allocate
  // again.
  std::function<absl::Status(Subgraph& graph, size_t invocation)> feed;
  // Compares what every operator computes, as it is computed, not only the
  // graph's outputs.
  bool compares_all = false;
  bool poison = true;
  bool touch = true;
  // On failure, search for a minimal set of sharing that causes it.
  bool bisect = true;
};

// The first byte in which two runs differ. Tensors are compared in the order in
// which they are computed, or the order of outputs; then variables.
struct Difference {
  size_t subgraph = 0;
  size_t invocation = 0;
  absl::optional<size_t> node;  // computes the tensor; none for inputs and
                                // variables
  size_t tensor = 0;
  size_t byte = 0;       // of the tensor
  size_t expected = 0;   // its value where nothing shares memory; if the
  size_t found = 0;      // tensors have not equally many bytes, how many
  bool is_size = false;  // they have, and `byte` is 0
  std::string text;
};

// Two tensors that may use the same memory, one after the other.
struct SharingPair {
  size_t first_tensor = 0;
  size_t second_tensor = 0;
  // The bytes of the arena that both have: [begin, end). None if they only lie
  // side by side.
  size_t begin = 0;
  size_t end = 0;
  // The operator that writes the second in place of the first; none for two
  // that the plan puts in one place.
  absl::optional<size_t> in_place_node;
  std::string text;  // with names and tasks
};

// The result of bisection. The pairs are minimal: without any one of them the
// runs no longer differ. No pairs: see `text`.
struct Bisection {
  std::vector<SharingPair> pairs;
  size_t runs = 0;  // executed to find the pairs
  std::string text;
};

struct CheckReport {
  // What ended a run: a finding of PoisonChecker or TouchChecker, or, under the
  // plan only, whatever else an operator fails with; or OK.
  absl::Status finding;
  // Whether the run without sharing ended so: then an operator is at fault, not
  // the plan.
  bool is_without_sharing = false;
  absl::optional<Difference> difference;  // none where there is a finding
  absl::optional<Bisection> bisection;
  std::string plan_strategy;               // that made the plan
  std::vector<ShadowedOperator> shadowed;  // as in the run under the plan

  bool is_safe() const { return finding.ok() && !difference; }
  std::string Text() const;  // lines
};

// Runs `options.subgraph` of the model under the plan and under no sharing at
// all, with different patterns in bytes that are not live, and compares bit for
// bit. Errors: those of loading, planning and running that are not findings;
// InvalidArgument if the subgraph does not exist or `options.feed` is empty.
//
// Bisection is delta debugging over runs with part of the sharing: about
// 2 log2(tensors) runs for one culprit, O(tensors^2) at worst. It covers the
// sharing in the subgraph's own arena as planned before a run; subgraphs that
// are called from it share nothing in these runs.
absl::StatusOr<CheckReport> CheckPlan(const Model& model,
                                      const OperatorResolver& resolver,
                                      const CheckOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CHECKS_H_
