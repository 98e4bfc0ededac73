// SPDX-License-Identifier: Apache-2.0
// Represents a planning problem: everything that a plan must honour, checked
// once.
//
// Create a problem if you need more than the classic functions of planner.h
// accept, and pass it to Solve there. Strategies, bounds, the verifier,
// certificates and reports all use this type. For records alone, use profile.h
// and verify.h, which need no problem.
//
//   ProblemSpec spec;
//   spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
//   spec.alignment = 64;
//   const StatusOr<Problem> problem = Problem::Create(std::move(spec));
//   if (!problem.ok()) return problem.status();
//   const size_t bound = LowerBoundOf(*problem).bytes;  // lower_bound.h
//
// Requests are of three sorts. An OBLIGATION (alignments, the reallocation
// graph, fixed offsets) is honoured by every plan; if a strategy cannot honour
// it, the problem is refused with an error that names the missing feature
// (Problem::Requires). A PERMISSION (the capacity) may be ignored by a strategy
// that does not search; such a strategy never claims infeasibility. A
// PREFERENCE (the records to place first) is followed by the strategies that
// support it. Groups, holes, pools, streams and the like are Constraints
// (constraints.h). Names and labels (labels.h) do not influence plans; they are
// kept for reports.
//
// A problem may leave three choices to the planner: the order of the tasks,
// which groups are kept, and which pairs of records lie in one place. Solve
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

// Says what a plan assigns to each record.
enum class PlanKind {
  kOffsets,  // a plan has a byte position in one arena for each record
  kObjects,  // a plan has a shared object for each record
};

// Returns "offsets" or "objects".
string_view PlanKindName(PlanKind kind);

// Describes a problem as plain data. Fill in the fields and pass the spec to
// Problem::Create. Lists with an entry for every record are in the order of the
// records.
struct ProblemSpec {
  PlanKind kind = PlanKind::kOffsets;
  // The records, in any order; plans list them in the same order.
  std::vector<TensorUsageRecord<size_t>> records;
  // The alignment of every offset in bytes, a power of two. Shared objects are
  // allocated separately and have no offset.
  size_t alignment = 1;
  // An alignment for every record, in bytes. If the list is empty, `alignment`
  // applies to all records.
  std::vector<size_t> alignments;
  // The maximum number of bytes that a plan may use. If the capacity is below
  // the lower bound, no strategy is called. A strategy that searches returns no
  // plan above the capacity.
  optional<size_t> capacity;
  // Entry x lists the records that may take over the object of record x; see
  // BuildReallocationGraph.
  optional<UsageGraph> reallocation_graph;
  // The prescribed offset of each record in bytes, or nullopt. The list has an
  // entry for every record, or is empty.
  std::vector<optional<size_t>> fixed_offsets;
  // The indices of the records to place before all others, in this order. They
  // are usually records that a runtime has in its arena from the start and
  // never frees. This is a preference, which "arena_best_fit" follows.
  std::vector<size_t> place_first;
  // Further constraints, for offsets only; most problems have none.
  Constraints constraints;
  // The tasks that the planner has to order, and the tasks that use each
  // record. If a free order is set, the intervals of the records are ignored.
  // Otherwise the intervals give the order.
  optional<FreeOrder> free_order;
  // If true, the records of a group are kept at their distances only if this
  // does not make the plan larger. Otherwise every group is an obligation.
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

// Identifies everything that a problem requires, in 128 bits
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

// The version of fingerprints. Fingerprints of different versions cannot be
// compared.
constexpr uint64_t kFingerprintVersion = 1;

// Holds the values that the library has computed from a problem
// (src/model/derived_values.h).
class DerivedValues;

// An immutable, checked problem. It is a handle: copies are cheap and share all
// values that were computed from the problem. Thread-safe.
class Problem {
 public:
  // Checks everything and creates a problem. Errors carry the records that they
  // are about (error_payload.h):
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
  // constraints can be found only by solving; Solve then returns kInfeasible.
  // O(n), and O(m log m) for constraints of size m.
  static StatusOr<Problem> Create(ProblemSpec spec);

  PlanKind kind() const;
  size_t size() const;  // returns the number of records

  // Returns the records. With a free order, every interval is [0, 0].
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

  // Returns a copy of the spec from which the problem was created, so that a
  // similar problem can be created. O(size of the problem).
  ProblemSpec ToSpec() const;

  // Returns the fingerprint, by which a cache finds the plan of this problem.
  // The fingerprint depends on the order of the records and on everything that
  // decides a plan: the kind, the records, alignments, fixed offsets, capacity,
  // graph, preferences, constraints and orders. It does not depend on the names
  // of tensors, groups and pools, but it depends on the numbers of groups. If
  // two fingerprints differ, the problems differ. All builds with the same
  // kFingerprintVersion compute the same fingerprint. Two problems with the
  // same fingerprint can be made on purpose, so a plan that was found by a
  // fingerprint has to be verified. O(size of the problem) for the first call.
  const Fingerprint& fingerprint() const;

  // Returns the features that a strategy must have.
  FeatureSet Requires() const;

  // Returns the values that this library has computed from the problem. Only
  // the library itself needs them.
  const DerivedValues& derived() const;

 private:
  struct State;
  explicit Problem(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;
};

}  // namespace stowage

#endif  // STOWAGE_PROBLEM_H_
