// SPDX-License-Identifier: Apache-2.0
// Generates usage records with RapidCheck, for property tests of any planner.
// If RapidCheck is not available, use random_records.h and shrink.h.
//
//   RC_GTEST_PROP(MyPlanner, IsSafe, ()) {
//     const ProblemSpec spec = *stowage::testing::AnyInstances();
//     for (const Property& property : stowage::testing::AllProperties()) {
//       RC_ASSERT(property.check(MyPlan, spec) == absl::OkStatus());
//     }
//   }
//
// The families are those of families.h. By default, sizes are 1 byte to 1 MiB.
// RapidCheck's size parameter, 0 to 100 by default, determines the number of
// records or, for families of networks, the number of blocks of records. A
// counterexample shrinks to fewer records, smaller sizes and earlier tasks,
// within its family.
//
// For an introduction, see docs/test-your-planner.md.
#ifndef STOWAGE_TESTING_GENERATORS_H_
#define STOWAGE_TESTING_GENERATORS_H_

#if !__has_include("rapidcheck.h")
#error "generators.h needs RapidCheck; random_records.h does without"
#endif

#include <cstddef>
#include <vector>

#include "rapidcheck.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/graphs.h"
#include "stowage/testing/models.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

// Generate instances of one family, or only the records of the instances.
rc::Gen<ProblemSpec> FamilyInstances(
    Family family, const Parameters& parameters = Parameters());
rc::Gen<ByteRecords> FamilyRecords(Family family,
                                   const Parameters& parameters = Parameters());

// Generates instances that every planner must be able to plan: those of the
// families for which FamilyInfo::is_plannable is true. The instances have
// alignments up to `parameters.max_alignment`.
rc::Gen<ProblemSpec> AnyInstances(const Parameters& parameters = Parameters());

// Generates the records of AnyInstances alone.
rc::Gen<ByteRecords> AnyRecords(const Parameters& parameters = Parameters());

// Generates records in execution order, for planners that require this order.
// The records come from those families of AnyInstances in which all records are
// in execution order (FamilyInfo::in_execution_order).
rc::Gen<ByteRecords> AnySortedRecords(
    const Parameters& parameters = Parameters());

// Generates problems with constraints (random_problems.h).
rc::Gen<ProblemSpec> AnyProblems(
    const ProblemParameters& parameters = ProblemParameters());

// Generators of single families that are often used.
rc::Gen<ByteRecords> ChainRecords();      // generates kChains
rc::Gen<ByteRecords> BranchyRecords();    // generates kBranches
rc::Gen<ByteRecords> LongLivedRecords();  // generates kLongLived
rc::Gen<ByteRecords> TiedRecords();       // generates kFewSizes
rc::Gen<ByteRecords> ZeroSizedRecords();  // generates kZeroSizes
rc::Gen<ByteRecords> HugeRecords();       // generates kHugeSizes
rc::Gen<ByteRecords> GappyRecords();      // generates kFarTasks
rc::Gen<ByteRecords> UnsortedRecords();   // generates kUnsorted
rc::Gen<ByteRecords> NetworkRecords();    // generates kNetworks

// Generates graphs of tensors that depend on each other (graphs.h).
rc::Gen<GraphInstance> AnyGraphs(const Parameters& parameters = Parameters());

// Generates small models (models.h). RapidCheck prints a counterexample as the
// list of its operators.
rc::Gen<ModelInstance> AnyModels(const Parameters& parameters = Parameters());

// Generates records of textures or shapes: TensorSizeT is uint2, uint3 or BHWC.
// Components are 0 to 8, a range in which equal, covering and incomparable
// sizes all occur. The records are in execution order.
template <typename TensorSizeT>
rc::Gen<std::vector<TensorUsageRecord<TensorSizeT>>> ExtentRecords();

// Generates a list of `count` alignments: powers of two from 1 to 4096.
rc::Gen<std::vector<size_t>> AlignmentLists(size_t count);

}  // namespace stowage::testing

#include "stowage/testing/generators_inl.h"  // IWYU pragma: export

#endif  // STOWAGE_TESTING_GENERATORS_H_
