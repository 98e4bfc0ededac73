// SPDX-License-Identifier: Apache-2.0
// Inputs from a seed are those of the definition, bit for bit: other runtimes
// draw the same.
#include "src/report/random_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "stowage/harness/tensor.h"

namespace stowage::report {
namespace {

using harness::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The first elements of a tensor of this type. splitmix64 begins, from seed 0,
// with E220A8397B1DCDAF, 6E789E6AA1B965F4, 06C45D188009454F.
template <typename T>
std::vector<T> Drawn(ElementType type, size_t count) {
  std::vector<T> elements(count);
  Tensor tensor;
  tensor.type = type;
  tensor.data = elements.data();
  tensor.bytes = count * sizeof(T);
  RandomInputs inputs(0);
  EXPECT_TRUE(inputs.Fill(&tensor).ok());
  return elements;
}

TEST(RandomInputs, TakeTopBits) {
  EXPECT_THAT(Drawn<int8_t>(ElementType::kInt8, 3),
              ElementsAre(0xE2 - 256, 0x6E, 0x06));
  EXPECT_THAT(Drawn<uint8_t>(ElementType::kUint8, 3),
              ElementsAre(0xE2, 0x6E, 0x06));
  EXPECT_THAT(Drawn<int16_t>(ElementType::kInt16, 3),
              ElementsAre(0xE220 - 65536, 0x6E78, 0x06C4));
  EXPECT_THAT(Drawn<uint8_t>(ElementType::kBool, 3), ElementsAre(1, 0, 0));
}

TEST(RandomInputs, OfWideIntegersAreBelowTen) {
  EXPECT_THAT(Drawn<int32_t>(ElementType::kInt32, 2),
              ElementsAre(0xE220A839 % 10, 0x6E789E6A % 10));
  EXPECT_THAT(Drawn<int64_t>(ElementType::kInt64, 2),
              ElementsAre(0xE220A839 % 10, 0x6E789E6A % 10));
}

TEST(RandomInputs, OfFloatsAreFromMinusOneToOne) {
  EXPECT_THAT(
      Drawn<float>(ElementType::kFloat32, 2),
      ElementsAre(0xE220A8 / 8388608.0F - 1, 0x6E789E / 8388608.0F - 1));
}

TEST(RandomInputs, AreOneStream) {
  uint8_t first = 0;
  uint8_t second = 0;
  Tensor tensor;
  tensor.type = ElementType::kUint8;
  tensor.bytes = 1;
  RandomInputs inputs(0);
  for (uint8_t* const place : {&first, &second}) {
    tensor.data = place;
    ASSERT_TRUE(inputs.Fill(&tensor).ok());
  }
  EXPECT_EQ(first, 0xE2);
  EXPECT_EQ(second, 0x6E);
}

TEST(RandomInputs, RefuseOtherTypes) {
  Tensor tensor;
  tensor.name = "words";
  tensor.type = ElementType::kString;
  const absl::Status status = RandomInputs(0).Fill(&tensor);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(status.message(), HasSubstr("input \"words\" is STRING"));
}

}  // namespace
}  // namespace stowage::report
