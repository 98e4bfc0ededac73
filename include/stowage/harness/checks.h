// SPDX-License-Identifier: Apache-2.0
// Checks that a model computes the same results under a plan as in a run in
// which no tensors share memory, and names the operator or the plan at fault.
// To check a plan without running the model, use verify.h.
//
//   CheckOptions options;
//   options.plan.strategy = "greedy_by_size";
//   options.feed = [&](Subgraph& net, size_t invocation) { ...fill inputs... };
//   absl::StatusOr<CheckReport> report =
//       CheckPlan(*model, BuiltinOperators(), options);
//   if (report.ok() && !report->is_safe()) std::cerr << report->Text();
//
// CheckPlan runs a model under the plan and without any sharing, and compares
// the results. It also runs two observers. Any program that runs models can use
// these observers, too:
//
//   PoisonChecker  finds accesses to bytes of the arena outside live tensors
//   TouchChecker   finds writes to a tensor that the operator does not own
//
// A finding of an observer is a DataLoss error that names the operator, the
// tensor and the byte; no operator of this library fails with that code. An
// observer serves one interpreter. Memory that is outside the arenas and
// belongs to no tensor, such as operator data, is not checked; sanitizers can
// check it.
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
#include "stowage/programs/combine.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

struct ByteRange {  // has the bytes [begin, end)
  size_t begin = 0;
  size_t end = 0;
};

// While operators run, writes a pattern to every byte of the arena that belongs
// to no live tensor. Such a byte belongs to a tensor outside the lifetime of
// the tensor, to alignment padding, or to the guard bytes. Outputs and
// temporaries also hold the pattern when their operator begins.
//
// The checker finds an operator that changes one of these bytes, and an
// operator that reads a tensor outside the lifetime of the tensor. In builds
// with the address sanitizer, these bytes are inaccessible while operators run,
// so that reading them ends the program with a report. In other builds, an
// operator that reads these bytes computes with the pattern, so that two runs
// with different patterns differ.
//
// On several streams, the bytes of a tensor are filled as soon as the last
// operator that uses the tensor has finished, while other operators may still
// run.
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
    std::vector<ByteRange> held;  // the bytes that need not have the pattern
  };

  uint8_t pattern_;
  std::map<size_t, State> states_;  // is indexed by subgraph
};

// Copies live tensors before an operator runs, and compares the copies with the
// tensors after the operator has run. The checker covers tensors of both
// arenas, tensors with separate memory or memory provided by the caller, and
// the constants that the operator reads. It leaves out the tensors that the
// operator writes. If the operator takes over the memory of a tensor in place,
// the checker covers this tensor only if a later node still reads it. The
// caller may put several tensors in the same memory. After the last task of one
// of these tensors, another one may overwrite the first; the checker does not
// report this. On several streams, the checker ignores what other operators
// write in the meantime. If several operators run at once, the checker cannot
// tell which one changed a tensor.
//
// O(live bytes) for each operator.
class TouchChecker : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& at) override;
  absl::Status AfterOperator(const Execution& at) override;

 private:
  struct Copy {
    size_t tensor = 0;  // or a slot of the program
    bool is_slot = false;
    // Counts the writes to the tensor by other nodes so far.
    size_t other_writes = 0;
    std::vector<uint8_t> bytes;
  };
  // The copies, keyed by subgraph and node. There may be copies for several
  // nodes, since one operator may run inside another operator or at the same
  // time as another operator.
  std::map<std::pair<size_t, size_t>, std::vector<Copy>> copies_;
};

// A subgraph that runs after CheckOptions::subgraph in every invocation.
struct CheckedFollower {
  size_t subgraph = 0;
  // Fills the inputs of the subgraph. The requirements are those of
  // CheckOptions::feed.
  std::function<absl::Status(Subgraph& graph, size_t invocation)> feed;
  // The model that contains the subgraph. If it is null, the subgraph belongs
  // to the same model as CheckOptions::subgraph. Each model has an interpreter
  // of its own.
  const Model* model = nullptr;
};

// Says which plan is checked, on which inputs, and by which checks.
struct CheckOptions {
  // The plan under test: the strategy or planner, the alignment, and the
  // lifetimes of inputs. The observers in these options see only the run under
  // the plan, and not the run without sharing.
  InterpreterOptions plan;
  size_t subgraph = 0;
  size_t invocations = 1;  // is at least 1
  // Fills the inputs. The function is called before each invocation in every
  // run, and must give the same inputs for the same invocation. Each run has a
  // separate copy of the function. The subgraph is allocated before the first
  // call; the function may resize inputs and allocate again.
  std::function<absl::Status(Subgraph& graph, size_t invocation)> feed;
  // Other subgraphs, which run in this order after `subgraph` in every
  // invocation. Under the plan, all subgraphs run in one shared arena; in the
  // run without sharing, each has an arena of its own. If there are followers,
  // there is no bisection.
  std::vector<CheckedFollower> followers;
  // Outputs that become inputs of a later subgraph. In a HandOver, 0 stands for
  // `subgraph`, and i stands for followers[i - 1]. The feed of the later
  // subgraph is called first, and then the outputs overwrite these inputs.
  std::vector<HandOver> hand_overs;
  // If true, the results of every operator are compared as soon as they are
  // computed. If false, only the outputs of the graph and its variables are
  // compared.
  bool compares_all = false;
  bool poison = true;
  bool touch = true;
  // If this flag is true and the runs differ, CheckPlan searches for a minimal
  // set of tensor pairs that cause the difference by sharing memory.
  bool bisect = true;
};

// The first byte in which two runs differ. Runs are compared in this order:
// intermediate tensors in the order in which they are computed, then outputs in
// the order of the graph's outputs, then variables.
struct Difference {
  size_t subgraph = 0;
  size_t invocation = 0;
  // The node that computes the tensor. It has no value for inputs and
  // variables.
  absl::optional<size_t> node;
  size_t tensor = 0;
  size_t byte = 0;  // an index of a byte of the tensor
  // The value of the byte in the run without sharing. If `is_size` is true, the
  // field has the size of the tensor in that run instead.
  size_t expected = 0;
  size_t found = 0;      // the same as `expected`, for the run under the plan
  bool is_size = false;  // is true if the sizes differ; `byte` is then 0
  std::string text;
};

// Two tensors that may use the same memory, one after the other.
struct SharingPair {
  size_t first_tensor = 0;
  size_t second_tensor = 0;
  // The bytes [begin, end) of the arena that both tensors occupy. The range is
  // empty if the two are only adjacent.
  size_t begin = 0;
  size_t end = 0;
  // The operator that writes the second tensor in place of the first. If there
  // is no such operator, the field has no value, and the two tensors have the
  // same memory only because of their offsets in the plan.
  absl::optional<size_t> in_place_node;
  std::string text;  // describes the pair with names and tasks
};

// The result of bisection. The set of pairs is minimal: if any one of the pairs
// is kept from sharing memory, the runs no longer differ. If there are no
// pairs, `text` says why.
struct Bisection {
  std::vector<SharingPair> pairs;
  size_t runs = 0;  // the number of runs that the search took
  std::string text;
};

// The result of a check. The plan is safe if there is neither a finding nor a
// difference.
struct CheckReport {
  // The error that ended a run. It is a finding of PoisonChecker or
  // TouchChecker. In the run under the plan, it may also be any other error of
  // an operator. OK if no run ended with an error.
  absl::Status finding;
  // True if `finding` ended the run without sharing. In this case, an operator
  // is at fault, not the plan.
  bool is_without_sharing = false;
  absl::optional<Difference> difference;  // has no value if there is a finding
  absl::optional<Bisection> bisection;
  std::string plan_strategy;  // the strategy that made the plan
  // The operators that ran as shadows in the run under the plan.
  std::vector<ShadowedOperator> shadowed;

  bool is_safe() const { return finding.ok() && !difference; }
  std::string Text() const;  // returns several lines
};

// Runs `options.subgraph` of the model, followed by `options.followers`, once
// under the plan and once without any sharing. Compares the results bit for
// bit. Bytes that are not live hold one pattern in the first run, and another
// pattern in the second. Errors: those of loading, planning and running a
// model, except those that CheckReport::finding reports; InvalidArgument if a
// subgraph does not exist or is given twice, or if a feed is empty.
//
// Bisection is delta debugging: it runs the model with only a part of the
// sharing. It takes about 2 log2(tensors) runs for a single culprit, and
// O(tensors^2) runs at worst. Bisection covers only sharing that is planned
// before a run, and only in the arena of the subgraph itself. In the runs of
// the bisection, no tensors share memory in the subgraphs that this subgraph
// calls.
absl::StatusOr<CheckReport> CheckPlan(const Model& model,
                                      const OperatorResolver& resolver,
                                      const CheckOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CHECKS_H_
