// SPDX-License-Identifier: Apache-2.0
// Tests that every file of tests/data/constraints is read completely.
#include "tests/support/constraint_vectors.h"

#include <cstddef>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::support {
namespace {

TEST(ConstraintVectorsTest, EveryFamilyHas150) {
  for (const std::string& family : ConstraintFamilies()) {
    SCOPED_TRACE(family);
    const std::vector<ConstraintVector> vectors = LoadConstraintVectors(family);
    EXPECT_EQ(vectors.size(), 150u);
    for (const ConstraintVector& vector : vectors) {
      EXPECT_EQ(vector.family, family);
      EXPECT_EQ(vector.plan.offsets.size(),
                vector.is_infeasible ? 0 : vector.spec.records.size());
    }
  }
}

TEST(ConstraintVectorsTest, EveryModelHasAllOrders) {
  for (const std::string& model : DagModels()) {
    SCOPED_TRACE(model);
    const size_t records = LoadDag(model, 1).records.size();
    EXPECT_FALSE(LoadDag(model, 1).constraints.order.has_value());
    for (const size_t streams : std::vector<size_t>{0, 2, 3, 4}) {
      const ProblemSpec spec = LoadDag(model, streams);
      EXPECT_EQ(spec.records.size(), records);
      EXPECT_EQ(spec.constraints.users.size(), records);
      ASSERT_TRUE(spec.constraints.order.has_value());
      if (streams == 0) continue;
      EXPECT_LE(spec.constraints.order->chains(), streams);
    }
  }
}

}  // namespace
}  // namespace stowage::support
