// SPDX-License-Identifier: Apache-2.0
// Checks the properties that every plan must satisfy, for any test framework.
// To check a single plan in production, FindViolation (verify.h) is enough.
//
// For one plan:
//
//   Status status = CheckPlan(records, plan, alignments);
//   // INTERNAL: tensor 3 and tensor 7 both hold bytes [64, 128) at task 5
//
// To check the properties of a planner, one by one or all:
//
//   for (const Property& property : AllProperties()) {
//     const ProblemSpec spec = SpecOf(records, alignments);
//     const Status status = property.check(planner, spec);
//     if (!status.ok()) std::cerr << property.name << ": " << status << "\n";
//   }
//
// To generate problems for these checks, use random_records.h,
// random_problems.h or generators.h. To generate problems, check the properties
// and shrink a failing problem in one call, use find_failure.h.
#ifndef STOWAGE_TESTING_PROPERTIES_H_
#define STOWAGE_TESTING_PROPERTIES_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/random_problems.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {

// Plans ---------------------------------------------------------------------

// Checks that the plan is safe (verify.h) and that its total is at least the
// lower bound. No safe plan can have a smaller total, so a total below the
// bound shows that the verifier has missed a violation. Error: Internal, with a
// message about what is wrong. O(n log n).
Status CheckPlan(Span<const TensorUsageRecord<size_t>> records,
                 const OffsetsAssignment& plan,
                 const Alignments& alignments = Alignments());

// Checks a plan of shared objects in the same way. In addition, each object
// must be at least as large as every tensor in it.
Status CheckPlan(Span<const TensorUsageRecord<size_t>> records,
                 const ObjectsAssignment<size_t>& plan);

// Checks a plan for sizes of type uint2, uint3 or BHWC in the same way, but not
// against a lower bound.
template <typename TensorSizeT>
Status CheckPlan(Span<const TensorUsageRecord<TensorSizeT>> records,
                 const ObjectsAssignment<TensorSizeT>& plan) {
  if (const auto violation = FindViolation(records, plan)) {
    return InternalError(Describe(*violation));
  }
  return OkStatus();
}

// Returns whether two plans assign the same place in the same memory to every
// tensor.
inline bool SamePlan(const OffsetsAssignment& a, const OffsetsAssignment& b) {
  return a.offsets == b.offsets && a.total_size == b.total_size &&
         a.pools == b.pools;
}
template <typename TensorSizeT>
bool SamePlan(const ObjectsAssignment<TensorSizeT>& a,
              const ObjectsAssignment<TensorSizeT>& b) {
  return a.object_ids == b.object_ids && a.object_sizes == b.object_sizes;
}

// Checks that CheckPlan accepts `planner(records)` and that the planner returns
// the same plan when called again. Calls the planner twice, with copies of the
// records. Works for any type of size and any callable. For planners of uint2,
// uint3 or BHWC, this is the only available check. Error: Internal.
template <typename TensorSizeT, typename Planner>
Status CheckPlanner(const std::vector<TensorUsageRecord<TensorSizeT>>& records,
                    Planner&& planner) {
  const auto copy = records;
  const auto plan = planner(copy);
  if (Status status = CheckPlan(MakeConstSpan(records), plan); !status.ok()) {
    return status;
  }
  const auto second_copy = records;
  if (!SamePlan(plan, planner(second_copy))) {
    return InternalError(
        "the planner returned a different plan for the same records");
  }
  return OkStatus();
}

// Planners ------------------------------------------------------------------

// A statement that must be true of a planner on any problem.
template <typename PlanT>
struct PropertyOf {
  using Plan = PlanT;
  using Check = Status (*)(const PlannerFn<Plan>& planner,
                           const ProblemSpec& spec);

  string_view name;      // has lower case and '_', as in "time_reversal"
  string_view sentence;  // says what holds
  // Returns OK if the planner has the property on this problem. Errors:
  // Internal, with a message about what is wrong, if the planner violates the
  // property; InvalidArgument if the records or alignments are invalid (the sum
  // of sizes may exceed 2^64 - 1); for a problem with constraints, those of
  // Problem::Create.
  //
  // If the planner refuses the problem, only the property `completeness` fails.
  // Some properties derive further problems from a problem without constraints
  // that the planner has planned. Such a property also fails if the planner
  // refuses a derived problem.
  //
  // Calls the planner a few times, with copies of the problem. Takes O(n log n)
  // time in addition to these calls. If the property fails, the last call of
  // the planner is the one that returned no correct plan.
  Check check;
};

using Property = PropertyOf<OffsetsAssignment>;
using ObjectsProperty = PropertyOf<ObjectsAssignment<size_t>>;

// The properties of every correct planner, cheapest first:
//   completeness        all records that can be planned have places
//   bounds              every tensor ends inside the arena
//   alignment           every offset is a multiple of its alignment
//   safety              no two tensors live at the same task share a byte
//   determinism         the same records get the same plan, even if the
//                       planner has planned other records in between
//   order_independence  records in another order have a safe plan
//   scaling             records with sizes three times as large have a safe
//                       plan
//   time_reversal       records executed from the last task to the first have
//                       a safe plan
//   adding_a_record     the records and one more, which is live throughout,
//                       have a safe plan
//   round_trip          trace and plan are unchanged by writing and reading
// These properties apply only to problems without constraints. For a problem
// with constraints (HasConstraints in specs.h), their checks return OK.
Span<const Property> AllProperties();

// Returns the properties of every correct planner that claims to support these
// features. The properties apply to problems with and without constraints:
//   problem_completeness  a problem that IsPlannable accepts is planned
//   fixed_offsets, places, groups, apart, pools, partial_order
//                         the verifier finds no violation of the feature; only
//                         claimed features have this property
//   problem_safety        the verifier finds no other violation
//   problem_determinism   the same problem gets the same plan
//   problem_reversal      a plan of the problem with time reversed is a plan of
//                         the problem
//   problem_relabelling   a plan of the problem with records, tasks and streams
//                         in another order is a plan of the problem
std::vector<Property> ProblemProperties(
    FeatureSet claims = kConstraintFeatures);

// Properties that only some correct planners have. They apply only to problems
// without constraints, and are checked only if the caller names them:
//   same_plan_in_any_order  records in another order get the same places, if
//                           no two have the same first task or the same size
//   same_plan_later         records shifted in time get the same plan
//   scaled_plan             if sizes and alignments are multiplied by 4, the
//                           offsets are also multiplied by 4
//   not_above_naive         the arena is no larger than the sum of the padded
//                           sizes
//   tight_total             the arena ends with its last tensor; every object
//                           is used, and as large as its largest tensor
//   valid_input_only        the planner refuses invalid records and alignments,
//                           and sizes with a sum above 2^64 - 1
//   monotone_optimum        one more record never makes the arena smaller (for
//                           planners that always find the smallest arena)
//   reversible_optimum      with time reversed, the arena has the same size
//                           (for planners that always find the smallest arena)
Span<const Property> Claims();

// Returns the properties of every correct planner of shared objects: those of
// AllProperties, except `alignment`. For these planners, `bounds` means that
// every object is at least as large as each of its tensors. There is one
// additional property:
//   conversion          the objects, laid out one after the other in an arena
//                       (ObjectsToOffsets), are a safe plan of offsets
Span<const ObjectsProperty> AllObjectsProperties();

// Returns the claims for planners of shared objects: those of Claims, except
// `monotone_optimum` and `reversible_optimum`. The size of the arena in a claim
// is replaced by the total size of the objects.
Span<const ObjectsProperty> ObjectsClaims();

// Return the property or claim with this name. Error: NotFound, listing all
// names, if there is no such property or claim.
StatusOr<Property> FindProperty(string_view name);
StatusOr<ObjectsProperty> FindObjectsProperty(string_view name);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTING_PROPERTIES_H_
