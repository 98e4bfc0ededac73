// SPDX-License-Identifier: Apache-2.0
// Represents a planning problem: everything that a plan must satisfy, checked
// once.
//
// Create a Problem if you need more than the Assign functions of planner.h
// support, and pass it to Solve (planner.h). Strategies, bounds, the verifier,
// certificates and reports all use this type. If you have only records,
// profile.h and verify.h need no problem.
//
//   ProblemSpec spec;
//   spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
//   spec.alignment = 64;
//   const StatusOr<Problem> problem = Problem::Create(std::move(spec));
//   if (!problem.ok()) return problem.status();
//   const size_t bound = LowerBoundOf(*problem).bytes;  // lower_bound.h
//
// The requests in a problem are of three kinds. Every plan satisfies every
// OBLIGATION (alignments, the reallocation graph, fixed offsets); if a strategy
// does not support an obligation, the problem is refused with an error that
// names the missing feature (Problem::Requires). A PERMISSION (the capacity)
// may be ignored by strategies that do not search, and these strategies never
// claim that a problem is infeasible. A PREFERENCE (the records to place first)
// is followed only by the strategies that support it. Groups, holes, pools and
// streams, among others, are Constraints (constraints.h). Names and labels
// (labels.h) are only for reports and do not influence plans.
//
// A problem may leave three choices to the planner: the order of the tasks,
// which groups are kept, and which pairs of records share one place. Solve
// makes these choices together with the plan and returns them in the solution;
// DecidedProblem (planner.h) returns the problem in which these choices are
// fixed.
#ifndef STOWAGE_PROBLEM_H_
#define STOWAGE_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/free_order.h"
#include "stowage/labels.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {

// The kind of a plan, which determines what the plan assigns to each record.
enum class PlanKind {
  kOffsets,  // a plan has a byte position in one arena for each record
  kObjects,  // a plan has a shared object for each record
};

// Returns "offsets" or "objects".
string_view PlanKindName(PlanKind kind);

// A description of a problem as plain data. Fill in the fields and pass the
// spec to Problem::Create. A list with an entry for every record is in the
// order of `records`.
struct ProblemSpec {
  PlanKind kind = PlanKind::kOffsets;
  // The records, in any order. Plans list the records in the same order.
  std::vector<TensorUsageRecord<size_t>> records;
  // The alignment of every offset, in bytes; a power of two. Shared objects
  // have no offsets, since they are allocated separately.
  size_t alignment = 1;
  // The alignment of each record, in bytes. If empty, `alignment` applies to
  // all records.
  std::vector<size_t> alignments;
  // The maximum number of bytes that a plan may use. If the capacity is below
  // the lower bound, no strategy is called. Strategies that search return no
  // plan above the capacity.
  optional<size_t> capacity;
  // Entry x lists the records that may take over the object of record x; see
  // BuildReallocationGraph.
  optional<UsageGraph> reallocation_graph;
  // The prescribed offset of each record, in bytes, or nullopt for a record
  // without a prescribed offset. The list has an entry for every record, or is
  // empty.
  std::vector<optional<size_t>> fixed_offsets;
  // The indices of the records to place before all others, in this order. These
  // are usually records that a runtime puts into its arena at the start and
  // never frees. This is a preference, which "arena_best_fit" follows.
  std::vector<size_t> place_first;
  // Further constraints, which most problems do not have. For offsets only.
  Constraints constraints;
  // The tasks that the planner has to order, and the tasks that use each
  // record. If set, the intervals of the records are ignored. If not set, the
  // intervals define the order.
  optional<FreeOrder> free_order;
  // If true, the records of a group are kept at their distances only if this
  // does not make the plan larger. If false, every group is an obligation.
  bool groups_are_optional = false;
  // The ids of the records, for reports. The list has an entry for every
  // record, or is empty.
  std::vector<std::string> names;
  // Further facts that reports show.
  Labels labels;
};

// Returns the alignments of a problem as a view of the spec, which must outlive
// the result.
Alignments AlignmentsOf(const ProblemSpec& spec);

// Returns whether at least one record has a fixed offset.
bool HasFixedOffsets(const ProblemSpec& spec);

// A 128-bit hash that identifies everything that a problem requires
// (Problem::fingerprint).
struct Fingerprint {
  uint64_t high = 0;
  uint64_t low = 0;

  friend bool operator==(const Fingerprint& a, const Fingerprint& b) {
    return a.high == b.high && a.low == b.low;
  }
  friend bool operator!=(const Fingerprint& a, const Fingerprint& b) {
    return !(a == b);
  }
  friend bool operator<(const Fingerprint& a, const Fingerprint& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

// The version of the fingerprints. Fingerprints of different versions are not
// comparable.
constexpr uint64_t kFingerprintVersion = 1;

// The values that the library has computed from a problem
// (src/model/derived_values.h).
class DerivedValues;

// An immutable, checked problem. A Problem is a handle: copies are cheap and
// share all values that were computed from the problem. Thread-safe.
class Problem {
 public:
  // Checks `spec` and creates a problem. Each error carries the records that it
  // concerns (error_payload.h):
  //   InvalidArgument  a record, an alignment or the reallocation graph is
  //                    invalid; a list does not have one entry for each record;
  //                    a fixed offset is misaligned; constraints name
  //                    something that does not exist, list the same hole, pair
  //                    or set of records twice, or contradict each other
  //   OutOfRange       one of three sums exceeds 2^64 - 1: the padded sizes
  //                    plus the extents of groups plus the highest given
  //                    offset or end of a hole; the costs; or the bytes that
  //                    need not be copied. Also if there are more than
  //                    kMaxRecords records
  //   Unimplemented    no strategy supports the combination: fixed offsets or
  //                    constraints with shared objects; or a free order with
  //                    shared objects, pools, preferences, pairs that may lie
  //                    in one place, streams, reallocation graphs, optional
  //                    groups, or holes that exist only during some tasks.
  //                    Also if there are constraints, a free order or optional
  //                    groups in a program that does not link
  //                    stowage::constraints (stowage::core links it)
  // and those of CheckFreeOrder (free_order.h). Some contradictions between
  // constraints can be found only by solving the problem; in these cases, Solve
  // returns kInfeasible. O(n), plus O(m log m) for constraints of size m.
  static StatusOr<Problem> Create(ProblemSpec spec);

  PlanKind kind() const;
  size_t size() const;  // returns the number of records

  // Returns the records. If the order is free, every interval is [0, 0].
  Span<const TensorUsageRecord<size_t>> records() const;

  // Returns the alignments as a view that is valid as long as any copy of the
  // problem exists.
  const Alignments& alignments() const;
  optional<size_t> capacity() const;
  // Returns the reallocation graph, or null if the problem has none.
  const UsageGraph* reallocation_graph() const;
  // Returns whether at least one record has a fixed offset.
  bool has_fixed_offsets() const;
  optional<size_t> fixed_offset(size_t record) const;
  // Returns the constraints, or null if the problem has none.
  const Constraints* constraints() const;
  Span<const size_t> place_first() const;
  Span<const std::string> names() const;
  const Labels& labels() const;
  // Returns ProblemSpec::free_order, or null if the order of the tasks is
  // given.
  const FreeOrder* free_order() const;
  bool groups_are_optional() const;

  // Returns a copy of the spec from which the problem was created, for example
  // to create a similar problem. O(size of the problem).
  ProblemSpec ToSpec() const;

  // Returns the fingerprint, which caches use as the key of the problem's plan.
  // The fingerprint depends on the order of the records and on everything that
  // determines a plan: the kind, records, alignments, fixed offsets, capacity,
  // graph, preferences, constraints and orders. It depends on the numbers of
  // groups, but not on the names of tensors, groups and pools. All builds with
  // the same kFingerprintVersion compute the same fingerprint. If two
  // fingerprints differ, the problems differ. The converse is not guaranteed:
  // two problems with the same fingerprint can be constructed deliberately, so
  // a plan that was found by its fingerprint must be verified. O(size of the
  // problem) for the first call.
  const Fingerprint& fingerprint() const;

  // Returns the features that a strategy must have to plan this problem.
  FeatureSet Requires() const;

  // Returns the values that this library has computed from the problem. For use
  // by the library only.
  const DerivedValues& derived() const;

 private:
  struct State;
  explicit Problem(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace stowage

#endif  // STOWAGE_PROBLEM_H_
