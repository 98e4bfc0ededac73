// SPDX-License-Identifier: Apache-2.0
// Tests that dumps are compared element by element, and that a tensor that is
// in only one of the dumps is reported.
#include "stowage/harness/compare_dumps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "src/harness/sha256.h"
#include "stowage/harness/dump.h"

namespace stowage::harness {
namespace {

using Verdict = TensorDifference::Verdict;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

DumpedTensor Of(const std::string& dtype, const std::string& bytes) {
  DumpedTensor tensor;
  tensor.role = "output";
  tensor.dtype = dtype;
  tensor.shape = {static_cast<int64_t>(bytes.size())};
  tensor.bytes = bytes;
  tensor.sha256 = Sha256(bytes);
  tensor.has_bytes = true;
  return tensor;
}

template <typename T>
std::string Bytes(const std::vector<T>& elements) {
  std::string bytes(elements.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

struct ElementsCase {
  const char* name;
  const char* dtype;
  std::string first;
  std::string second;
  double tolerance = 0;
  Verdict verdict = Verdict::kEqual;
  double largest = 0;
  size_t element = 0;
  size_t different_elements = 0;
};

class CompareElementsTest : public ::testing::TestWithParam<ElementsCase> {};

TEST_P(CompareElementsTest, MeasuresTheLargestDifference) {
  const ElementsCase& c = GetParam();
  const auto differences = CompareDumps({Of(c.dtype, c.first)},
                                        {Of(c.dtype, c.second)}, c.tolerance);
  ASSERT_THAT(differences, SizeIs(1));
  EXPECT_EQ(differences[0].verdict, c.verdict);
  EXPECT_EQ(differences[0].largest, c.largest);
  EXPECT_EQ(differences[0].element, c.element);
  EXPECT_EQ(differences[0].different_elements, c.different_elements);
}

INSTANTIATE_TEST_SUITE_P(
    All, CompareElementsTest,
    ::testing::ValuesIn(std::vector<ElementsCase>{
        {"Equal", "float32", Bytes<float>({1, kNan}), Bytes<float>({1, kNan})},
        {"Within", "float32", Bytes<float>({1, 2, 3}),
         Bytes<float>({1, 2.5, 3}), 0.5, Verdict::kWithin, 0.5, 1, 1},
        {"Beyond", "float64", Bytes<double>({1, 2}), Bytes<double>({0, 4}), 1.5,
         Verdict::kBeyond, 2, 1, 2},
        {"Nan", "float32", Bytes<float>({1}), Bytes<float>({kNan}), 1e30,
         Verdict::kBeyond, kInfinity, 0, 1},
        {"NanOfAnotherSign", "float32", Bytes<float>({kNan}),
         Bytes<float>({-kNan}), 0, Verdict::kWithin, 0, 0, 1},
        {"SignOfZero", "float32", Bytes<float>({0.0F}), Bytes<float>({-0.0F}),
         0, Verdict::kWithin, 0, 0, 1},
        {"Steps8", "int8", Bytes<int8_t>({-128}), Bytes<int8_t>({127}), 255,
         Verdict::kWithin, 255, 0, 1},
        {"StepsUnsigned", "uint8", Bytes<uint8_t>({3, 9}),
         Bytes<uint8_t>({5, 6}), 2, Verdict::kBeyond, 3, 1, 2},
        {"Bool", "bool", Bytes<uint8_t>({0}), Bytes<uint8_t>({1}), 0,
         Verdict::kBeyond, 1, 0, 1},
        {"Steps16", "int16", Bytes<int16_t>({-32768}), Bytes<int16_t>({32767}),
         0, Verdict::kBeyond, 65535, 0, 1},
        {"Steps32", "int32", Bytes<int32_t>({7}), Bytes<int32_t>({5}), 2,
         Verdict::kWithin, 2, 0, 1},
        {"Steps64", "int64",
         Bytes<int64_t>({std::numeric_limits<int64_t>::min()}),
         Bytes<int64_t>({std::numeric_limits<int64_t>::max()}), 0,
         Verdict::kBeyond, 0x1p64, 0, 1},
        {"TypeWithoutDistance", "complex64", std::string(8, 'a'),
         std::string(8, 'b'), 1e30, Verdict::kBeyond},
        {"PartOfAnElement", "int16", "abc", "abd", 1e30, Verdict::kBeyond},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CompareDumps, OtherTypesAndShapesAreBeyondAnyTolerance) {
  DumpedTensor turned = Of("int8", "abcd");
  turned.shape = {2, 2};
  EXPECT_EQ(CompareDumps({Of("int8", "abcd")}, {turned}, 1e30)[0].reason,
            "another shape");
  EXPECT_EQ(
      CompareDumps({Of("int8", "abcd")}, {Of("uint8", "abcd")}, 1e30)[0].reason,
      "another type");
  DumpedTensor shorter = Of("int8", "abc");
  shorter.shape = {4};
  EXPECT_EQ(CompareDumps({Of("int8", "abcd")}, {shorter}, 1e30)[0].reason,
            "other bytes");
}

TEST(CompareDumps, WithoutBytesOnlyEqualityIsKnown) {
  DumpedTensor hash = Of("int8", "abcd");
  hash.has_bytes = false;
  hash.bytes.clear();
  EXPECT_EQ(CompareDumps({Of("int8", "abcd")}, {hash}, 0)[0].verdict,
            Verdict::kEqual);
  EXPECT_EQ(CompareDumps({Of("int8", "abce")}, {hash}, 0)[0].verdict,
            Verdict::kUnknown);
}

TEST(CompareDumps, ReportsTensorsOfOneDumpAlone) {
  DumpedTensor later = Of("int8", "a");
  later.invocation = 1;
  const auto differences =
      CompareDumps({Of("int8", "a"), later}, {Of("int8", "a")}, 0);
  ASSERT_THAT(differences, SizeIs(2));
  EXPECT_EQ(differences[1].verdict, Verdict::kOnlyFirst);
  EXPECT_EQ(differences[1].invocation, 1u);
  EXPECT_EQ(CompareDumps({}, {later}, 0)[0].verdict, Verdict::kOnlySecond);
  EXPECT_THAT(CompareDumps({}, {}, 0), IsEmpty());
}

}  // namespace
}  // namespace stowage::harness
