// SPDX-License-Identifier: Apache-2.0
// Checks that a model computes the same results under a plan as in a run in
// which no tensors share memory. If the results differ, names the operator or
// the plan at fault. To check a plan without running the model, use verify.h.
//
//   CheckOptions options;
//   options.plan.strategy = "greedy_by_size";
//   options.feed = [&](Subgraph& net, size_t invocation) { ...fill inputs... };
//   absl::StatusOr<CheckReport> report =
//       CheckPlan(*model, BuiltinOperators(), options);
//   if (report.ok() && !report->is_safe()) std::cerr << report->Text();
//
// CheckPlan runs a model under the plan and without any sharing, and compares
// the results. During these runs, it uses two observers, which are also
// available to other programs that run models:
//
//   PoisonChecker  finds accesses to bytes of the arena outside live tensors
//   TouchChecker   finds writes to a tensor that the operator does not own
//
// An observer reports a finding as a DataLoss error that names the operator,
// the tensor and the byte; no operator of this library returns this code. Use
// each observer for only one interpreter. Memory outside of the arenas that
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

// While operators run, fills every byte of the arena that belongs to no live
// tensor with a pattern. These are the bytes of tensors outside of their
// lifetimes, alignment padding, and guard bytes. Outputs and temporaries also
// contain the pattern when their operator starts.
//
// The checker finds operators that change one of these bytes, and operators
// that read a tensor outside of its lifetime. In builds with the address
// sanitizer, these bytes are inaccessible while operators run, so reading them
// aborts the program with a report. In other builds, an operator that reads
// them computes with the pattern, so two runs with different patterns have
// different results.
//
// On several streams, the bytes of a tensor are filled as soon as the last
// operator that uses the tensor has completed, while other operators may still
// be running.
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

// Copies live tensors before an operator runs, and compares the tensors with
// the copies afterwards. Covers the tensors of both arenas, tensors with
// separate memory or memory provided by the caller, and the constants that the
// operator reads. Skips the tensors that the operator writes. If the operator
// takes over the memory of a tensor in place, covers this tensor only if a
// later node still reads it.
//
// The caller may put several tensors in the same memory. A tensor there may be
// overwritten after its last task, and the checker does not report this. On
// several streams, the checker ignores the writes of other operators that run
// in the meantime. If several operators run at the same time, the checker
// cannot determine which of them changed a tensor.
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
    // The number of writes to the tensor by other nodes so far.
    size_t other_writes = 0;
    std::vector<uint8_t> bytes;
  };
  // The copies, keyed by subgraph and node. There may be copies for several
  // nodes, because an operator may run inside another operator or at the same
  // time as another operator.
  std::map<std::pair<size_t, size_t>, std::vector<Copy>> copies_;
};

// A subgraph that runs after CheckOptions::subgraph in every invocation.
struct CheckedFollower {
  size_t subgraph = 0;
  // Fills the inputs of the subgraph. Must satisfy the requirements of
  // CheckOptions::feed.
  std::function<absl::Status(Subgraph& graph, size_t invocation)> feed;
  // The model that contains the subgraph. If null, the subgraph belongs to the
  // same model as CheckOptions::subgraph. Each model has its own interpreter.
  const Model* model = nullptr;
};

// The plan to check, its inputs, and the checks to run.
struct CheckOptions {
  // The plan to check: the strategy or planner, the alignment, and the
  // lifetimes of inputs. The observers in these options observe only the run
  // under the plan, and not the run without sharing. The arenas of this run
  // move before every invocation if there are delegates in these options. For
  // kernels of your own, set InterpreterOptions::moves_arena, or kernels that
  // keep pointers are not found.
  InterpreterOptions plan;
  size_t subgraph = 0;
  size_t invocations = 1;  // is at least 1
  // Fills the inputs. It is called before each invocation of every run, and
  // must provide the same inputs for the same invocation. Each run uses a
  // separate copy of the function. The subgraph is allocated before the first
  // call. The function may resize inputs and allocate again.
  std::function<absl::Status(Subgraph& graph, size_t invocation)> feed;
  // Other subgraphs, which run in this order after `subgraph` in every
  // invocation. Under the plan, all subgraphs run in one shared arena; in the
  // run without sharing, each has its own arena. If there are followers,
  // CheckPlan does not bisect.
  std::vector<CheckedFollower> followers;
  // Outputs that become inputs of a later subgraph. In a HandOver, 0 denotes
  // `subgraph`, and i denotes followers[i - 1]. The outputs overwrite these
  // inputs after the feed of the later subgraph has been called.
  std::vector<HandOver> hand_overs;
  // If true, compares the results of every operator as soon as they are
  // computed. Otherwise, compares only the outputs of the graph and its
  // variables.
  bool compares_all = false;
  bool poison = true;
  bool touch = true;
  // If true and the runs differ, CheckPlan searches for a minimal set of tensor
  // pairs that cause the difference by sharing memory.
  bool bisect = true;
};

// The first byte in which two runs differ. Runs are compared in this order:
// intermediate tensors in the order in which they are computed, then outputs in
// the order of the graph's outputs, then variables.
struct Difference {
  size_t subgraph = 0;
  size_t invocation = 0;
  // The node that computes the tensor. Nullopt for inputs and variables.
  absl::optional<size_t> node;
  size_t tensor = 0;
  size_t byte = 0;  // an index of a byte of the tensor
  // The value of the byte in the run without sharing or, if `is_size` is true,
  // the size of the tensor in this run.
  size_t expected = 0;
  size_t found = 0;      // the same as `expected`, for the run under the plan
  bool is_size = false;  // is true if the sizes differ; `byte` is then 0
  std::string text;
};

// Two tensors that may use the same memory one after another.
struct SharingPair {
  size_t first_tensor = 0;
  size_t second_tensor = 0;
  // The bytes [begin, end) of the arena that both tensors occupy. The range is
  // empty if the two tensors are only adjacent.
  size_t begin = 0;
  size_t end = 0;
  // The operator that writes the second tensor in place of the first. Nullopt
  // if the two tensors have the same memory only because of their offsets in
  // the plan.
  absl::optional<size_t> in_place_node;
  std::string text;  // describes the pair with names and tasks
};

// The result of bisection: a minimal set of pairs, which means that the runs no
// longer differ if any one of the pairs is prevented from sharing memory. If
// there are no pairs, `text` gives the reason.
struct Bisection {
  std::vector<SharingPair> pairs;
  size_t runs = 0;  // the number of runs that the search took
  std::string text;
};

// The result of a check. The plan is safe if there is neither a finding nor a
// difference.
struct CheckReport {
  // The error that stopped a run, or OK if no run failed. It is a finding of
  // PoisonChecker or TouchChecker or, in the run under the plan, possibly any
  // other error of an operator.
  absl::Status finding;
  // True if `finding` stopped the run without sharing. In this case, the fault
  // is in an operator and not in the plan.
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
// bit. Bytes that are not live contain one pattern in the first run, and
// another pattern in the second. Errors: those of loading, planning and running
// a model, except those in CheckReport::finding; InvalidArgument if a subgraph
// does not exist or occurs twice, or if a feed is empty.
//
// Bisection is delta debugging: it runs the model with only a part of the
// sharing. It needs about 2 log2(tensors) runs for a single culprit, and
// O(tensors^2) runs in the worst case. It covers only sharing that is planned
// before a run, and only in the arena of the subgraph itself. During bisection,
// no tensors share memory in the subgraphs that this subgraph calls.
absl::StatusOr<CheckReport> CheckPlan(const Model& model,
                                      const OperatorResolver& resolver,
                                      const CheckOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_CHECKS_H_
