// SPDX-License-Identifier: Apache-2.0
// Defines the type of a planner under test: a function from usage records, or
// from a problem with constraints, to a plan. All functions in stowage/testing
// take planners of this type. For a planner that is a separate program, see
// check_planner.h; for a planner in C, see plan_c.h.
//
// To test a planner of another project, write an adapter:
//
//   PlanFn planner = [](Span<const ByteRecord> records,
//                       const Alignments& alignments)
//       -> StatusOr<OffsetsAssignment> {
//     MyArena arena = MyPlanner().Plan(Convert(records));
//     return OffsetsAssignment{arena.offsets, arena.size};
//   };
//
// In this library, both ends of an interval are inclusive (see the picture in
// usage_record.h). If the planner's intervals are half-open, the adapter must
// convert them.
//
// A planner returns:
//   a plan         for all records that pass CheckUsageRecords, provided that
//                  the sum of their sizes, padded to the alignment, fits in 64
//                  bits
//   Unimplemented  for a feature that it does not claim to support, such as
//                  alignments or records out of order; no property fails then
//   another error  for records that have no plan
//
// An exception counts as an error, and so does an empty function. A planner
// receives copies of the records and alignments; if it changes them, its plan
// is still checked against the originals.
#ifndef STOWAGE_TESTING_PLAN_FN_H_
#define STOWAGE_TESTING_PLAN_FN_H_

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/plan_c.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// The type of planners. PlanFn is for planners that return an
// OffsetsAssignment, and ObjectsPlanFn is for planners that return an
// ObjectsAssignment<size_t>. A function that returns one of these plans, or an
// error, converts to the planner type for that plan. The table lists the
// parameters that the function may have, and the problems for which the planner
// calls the function:
//   const ProblemSpec&   any problem, even an invalid one
//   const Problem&       a problem that Problem::Create accepts; for any other,
//                        the planner returns the error of Create
//   records, alignments  (PlanFn) a problem without constraints; for any other,
//                        the planner returns Unimplemented
//   records              (ObjectsPlanFn) the same problems as in the row above
// An empty function or a null pointer converts to an empty planner, which must
// not be called.
template <typename Plan>
class PlannerFn {
  using Answer = StatusOr<Plan>;
  using Records = Span<const ByteRecord>;

  static constexpr bool kIsOfOffsets = std::is_same_v<Plan, OffsetsAssignment>;
  template <typename Fn, typename... Asked>
  static constexpr bool kTakes = std::is_invocable_r_v<Answer, Fn&, Asked...>;
  template <typename Fn>
  static constexpr bool kTakesRecords = std::conditional_t<
      kIsOfOffsets,
      std::is_invocable_r<Answer, Fn&, Records, const Alignments&>,
      std::is_invocable_r<Answer, Fn&, Records>>::value;

 public:
  PlannerFn() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): like std::function
  PlannerFn(std::nullptr_t) {}
  template <typename Fn, std::enable_if_t<!std::is_same_v<Fn, PlannerFn> &&
                                              (kTakes<Fn, const ProblemSpec&> ||
                                               kTakes<Fn, const Problem&> ||
                                               kTakesRecords<Fn>),
                                          int> = 0>
  // NOLINTNEXTLINE(google-explicit-constructor): like std::function
  PlannerFn(Fn fn) {
    if (IsNull(fn)) return;
    if constexpr (kTakes<Fn, const ProblemSpec&>) {
      fn_ = std::move(fn);
    } else if constexpr (kTakes<Fn, const Problem&>) {
      fn_ = [fn = std::move(fn)](const ProblemSpec& spec) mutable -> Answer {
        const StatusOr<Problem> problem = Problem::Create(spec);
        if (!problem.ok()) return problem.status();
        return fn(*problem);
      };
    } else {
      fn_ = [fn = std::move(fn)](const ProblemSpec& spec) mutable -> Answer {
        if (HasConstraints(spec)) {
          return UnimplementedError("it plans records alone");
        }
        if constexpr (kIsOfOffsets) {
          return fn(spec.records, AlignmentsOf(spec));
        } else {
          return fn(spec.records);
        }
      };
    }
  }

  explicit operator bool() const { return fn_ != nullptr; }

  Answer operator()(const ProblemSpec& spec) const { return fn_(spec); }
  Answer operator()(Records records,
                    const Alignments& alignments = Alignments()) const {
    ProblemSpec spec = SpecOf(records, alignments);
    spec.kind = kIsOfOffsets ? PlanKind::kOffsets : PlanKind::kObjects;
    return fn_(spec);
  }

 private:
  template <typename Fn>
  static bool IsNull(const Fn& /*fn*/) {
    return false;
  }
  template <typename Result, typename... Asked>
  static bool IsNull(Result (*fn)(Asked...)) {
    return fn == nullptr;
  }
  template <typename Signature>
  static bool IsNull(const std::function<Signature>& fn) {
    return fn == nullptr;
  }

  std::function<Answer(const ProblemSpec&)> fn_;
};

using PlanFn = PlannerFn<OffsetsAssignment>;
using ObjectsPlanFn = PlannerFn<ObjectsAssignment<size_t>>;

// Returns a planner that calls the C function `plan` and passes `context` to
// every call. If the function does not write an offset, the offset counts as
// beyond the end of any arena. Errors of the planner: Unimplemented if the
// function returns STOWAGE_TEST_UNSUPPORTED; OutOfRange if it returns
// STOWAGE_TEST_REFUSED; Internal if it returns any other nonzero number or
// writes past the last offset. If `plan` is null, returns an empty PlanFn.
PlanFn PlanFnOf(stowage_test_plan_fn plan, void* context);

// Returns options with a node budget and no time limit, so that plans are the
// same on every machine. With a time limit, a strategy may plan the same
// problem differently in two calls, and the property `determinism` would fail.
SolveOptions RepeatableOptions();

// Returns a planner that calls Solve (planner.h) with a registered strategy.
// Errors of the planner: those of Problem::Create and Solve; OutOfRange if the
// solution has no plan, even if the problem is feasible.
PlanFn StrategyPlanFn(std::string strategy,
                      SolveOptions options = RepeatableOptions());
ObjectsPlanFn StrategyObjectsPlanFn(std::string strategy,
                                    SolveOptions options = RepeatableOptions());

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PLAN_FN_H_
