// RapidCheck generators of usage records, to be pointed at any planner.
//
// Random intervals alone find few bugs: planners break on ties, on tensors that
// touch at one task, on sizes of zero, on task numbers that nobody expected.
// Each family here provokes one of these, and AnyRecords draws from them all.
// Records are valid (CheckUsageRecords), and a counterexample shrinks to fewer
// records, smaller sizes and earlier tasks.
//
//   RC_GTEST_PROP(MyPlanner, PlansAreSafe, ()) {
//     const auto records = *stowage::testing::AnyRecords();
//     RC_ASSERT(stowage::testing::CheckPlanner(records, MyPlan) ==
//               absl::OkStatus());
//   }
//
// Needs RapidCheck, which nothing else in the library does: link `rapidcheck`
// to the test. For the checks, and for other frameworks, see properties.h; for
// five minutes of introduction, docs/property-testing.md.
#ifndef STOWAGE_TESTING_GENERATORS_H_
#define STOWAGE_TESTING_GENERATORS_H_

#include <cstddef>
#include <vector>

#include "rapidcheck.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::testing {

using ByteRecords = std::vector<TensorUsageRecord<size_t>>;

// Families. All but UnsortedRecords are in execution order, for planners that
// need it. Unless a family says otherwise sizes are 1 to 1 MiB, and as many
// records are drawn as RapidCheck's size, 0 to 100 by default.

// Each tensor is read by the next task only: the profile of every task is two
// neighbours.
rc::Gen<ByteRecords> ChainRecords();

// Several tensors begin at one task, and live for a few: a graph with branches.
rc::Gen<ByteRecords> BranchyRecords();

// Like BranchyRecords, but every fourth tensor lives for up to 100 tasks.
rc::Gen<ByteRecords> LongLivedRecords();

// Four sizes and few tasks, so that every order by one key has ties.
rc::Gen<ByteRecords> TiedRecords();

// Every other tensor has no bytes, which may lie anywhere and conflicts with
// nothing.
rc::Gen<ByteRecords> ZeroSizedRecords();

// Sizes from 2^31 to 2^48, whose sums no 32-bit integer holds.
rc::Gen<ByteRecords> HugeRecords();

// Tasks are numbers up to 2^64 - 1, many of them far apart, and some tensors
// live to the last: no planner can afford an array over all tasks.
rc::Gen<ByteRecords> GappyRecords();

// Intervals in no order at all.
rc::Gen<ByteRecords> UnsortedRecords();

// Networks of plain, residual, branching and encoder-decoder blocks, with sizes
// that shrink as channels grow.
rc::Gen<ByteRecords> NetworkRecords();

// One of the families above.
rc::Gen<ByteRecords> AnyRecords();

// One of the families that are in execution order.
rc::Gen<ByteRecords> AnySortedRecords();

// Textures or shapes in place of bytes: TensorSizeT is uint2, uint3 or BHWC.
// Components are 0 to 8, so that equal, covering and incomparable sizes all
// happen; in execution order.
template <typename TensorSizeT>
rc::Gen<std::vector<TensorUsageRecord<TensorSizeT>>> ExtentRecords();

// One alignment for each of `count` tensors: powers of two from 1 to 4096.
rc::Gen<std::vector<size_t>> AlignmentLists(size_t count);

}  // namespace stowage::testing

#include "stowage/testing/generators_inl.h"  // IWYU pragma: export

#endif  // STOWAGE_TESTING_GENERATORS_H_
