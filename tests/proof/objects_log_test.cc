// SPDX-License-Identifier: Apache-2.0
// Tests the check of logs of searches for shared objects. The logs are
// handwritten, to show what each line proves and which logs are refused. Logs
// of OPTIMAL are tested in objects_search_log_test.cc.
#include "src/proof/objects_log.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "tests/proof/log_lines.h"

namespace stowage {
namespace {

using certificate::BoundOfObjectsLog;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Records = std::vector<ByteRecord>;

// Returns these records:
//
//   task      0    1    2
//   a         [24]
//   b         [=====8]
//   c              [8=====]
//   d                   [24]
//
// The smallest objects need 40 bytes, because b and c fit neither into one
// object nor both into the large one.
const Records& FourRecords() {
  static const auto* const records =
      new Records{{24, 0, 0}, {8, 0, 1}, {8, 1, 2}, {24, 2, 2}};
  return *records;
}

// Returns a log which proves that the four records do not fit into 39 bytes. It
// contains every kind of line except for `l`.
const Lines& FourLines() {
  static const auto* const lines = new Lines{
      "m24 1",   // first case: at least two objects of 24 bytes;
      "n24 24",  //   each of them costs 24,
      "b1",      //   48 bytes
      "t1 24",   // at most one such object; first case: b is in it;
      "w0 24",   //   a and b cannot share it and weigh 24 each,
      "w1 24",   //
      "b1",      //   48 bytes
      "w1 8",    // second case: b is in an object of 8 bytes;
      "w2 8",    //   so is c;
      "w3 24",   //   a and d share the large object and weigh 48;
      "x24 24",  //   that is 24 above its size, which is its price:
      "b1",      //   16 + 48 - 24 = 40 bytes
  };
  return *lines;
}

absl::StatusOr<size_t> BoundOfFour(const Lines& lines, size_t capacity = 39) {
  return BoundOfObjectsLog(FourRecords(),
                           {{0, 1, 2, 3}, capacity, TextOf(lines)});
}

TEST(ObjectsLog, ProvesTheNextMultipleAboveTheCapacity) {
  EXPECT_EQ(BoundOfFour(FourLines()).value(), 40u);
  EXPECT_EQ(BoundOfFour(FourLines(), 33).value(), 40u);
  EXPECT_EQ(BoundOfFour(FourLines(), 31).value(), 32u);
}

// In the second case, b is in a small object, so its weight does not count for
// large objects. Otherwise a and b would be a chain that is too heavy.
TEST(ObjectsLog, WeighsWhatMayBeInAnObjectAlone) {
  const Records records = {{24, 0, 0}, {8, 1, 1}};
  const Lines lines = {"t1 24", "w0 24", "b1", "w1 8", "b1"};
  EXPECT_EQ(BoundOfObjectsLog(records, {{0, 1}, 23, TextOf(lines)}).value(),
            24u);
}

// Tensors a and b fit into one object of 24 bytes. In the node without objects
// of 24 bytes, b must be in a smaller object, so the weights are light enough.
// In the sibling of that node, nothing is known about b, so the same weights
// are too heavy.
TEST(ObjectsLog, KnowsNothingOfNodesThatAreClosed) {
  const Records records = {{24, 0, 0}, {8, 1, 1}};
  const Lines lines = {"l24 0",  "t1 24", "w0 25", "x24 25", "b1",
                       "x24 25", "b1",    "w0 24", "w1 8",   "b1"};
  EXPECT_EQ(BoundOfObjectsLog(records, {{0, 1}, 24, TextOf(lines)})
                .status()
                .message(),
            "log line 10: the tensors in an object of 24 bytes weigh more than "
            "it, times the scale");
}

TEST(ObjectsLog, ProvesNothingThatAPlanRefutes) {
  EXPECT_THAT(std::string(BoundOfFour(FourLines(), 40).status().message()),
              HasSubstr("log line 12: the weights leave a plan of 40 bytes, "
                        "which is within the capacity"));
}

// A log that is refused: FourLines(), with its first `replaced` lines replaced
// by `lines`.
struct RefusedLines {
  const char* name;
  size_t replaced;
  Lines lines;
  const char* message;
};

class RefusedObjectsLog : public ::testing::TestWithParam<RefusedLines> {};

TEST_P(RefusedObjectsLog, SaysWhy) {
  const RefusedLines& test = GetParam();
  Lines lines = test.lines;
  lines.insert(lines.end(),
               FourLines().begin() + static_cast<ptrdiff_t>(test.replaced),
               FourLines().end());
  const absl::Status status = BoundOfFour(lines).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(test.message));
}

constexpr char kMax[] = "18446744073709551615";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedObjectsLog,
    ::testing::ValuesIn(std::vector<RefusedLines>{
        {"ASizeOfNone", 1, {"m16 1"}, "line 1: no listed tensor has 16 bytes"},
        {"ATensorOfNone", 0, {"w4 1"}, "line 1: tensor 4 is not listed"},
        {"ASplitOfATensorOfNone", 0, {"t4 24"}, "line 1: tensor 4 is not"},
        {"ATensorSplitAtASizeOfNone", 0, {"t1 9"}, "no listed tensor has 9"},
        {"APriceOfASizeOfNone", 0, {"n0 1"}, "no listed tensor has 0 bytes"},
        {"ASplitAboveAll",
         0,
         {"l24 4"},
         "line 1: there are 0 to 4 objects of at least 24 bytes: a split at 4 "
         "has nothing on one side"},
        {"ASplitMadeBefore",
         1,
         {"m24 1", "l24 1"},
         "line 2: there are 2 to 4 objects"},
        {"ASplitBelowTheTensor",
         0,
         {"t0 24"},
         "line 1: the object of tensor 0 has 24 to 24 bytes: a split at 24 has "
         "nothing on one side"},
        {"ASplitOfATensorMadeBefore",
         1,
         {"t1 24", "t1 24"},
         "line 2: the object of tensor 1 has 24 to 24 bytes"},
        {"AHalfLeftOut",
         3,
         {"m24 1"},
         "line 10: the weights leave a plan of 32"},
        {"AnotherOrderOfHalves",
         1,
         {"l24 1"},
         "line 3: the weights leave a plan of 32 bytes"},
        {"APriceOfAnotherHalf",
         6,
         {"n24 24", "m24 1", "b1"},
         "line 3: the weights leave a plan of 32 bytes"},
        {"APriceTooHigh",
         3,
         {"m24 1", "n24 25", "b1"},
         "line 3: the tensors in an object of 24 bytes weigh more than it, "
         "times the scale"},
        {"APriceThatCountsLargerObjectsToo",
         3,
         {"m8 1", "n8 24", "b1"},
         "line 3: the tensors in an object of 8 bytes weigh more"},
        {"AChainTooHeavy",
         0,
         {"w0 17", "w1 8", "w2 8", "w3 8", "b1"},
         "line 5: the tensors in an object of 24 bytes weigh more"},
        {"AScaleOfNothing", 0, {"b0"}, "line 1: the scale of the weights is 0"},
        {"AScaleTooLarge",
         2,
         {"m24 1", "n24 24", "b2"},
         "line 3: the weights leave a plan of 32 bytes"},
        {"NoWeights", 0, {"b1"}, "line 1: the weights leave a plan of 32"},
        {"WeightsThatOverflow",
         0,
         {absl::StrCat("w0 ", kMax), absl::StrCat("w3 ", kMax),
          absl::StrCat("b", kMax)},
         "line 3: the weights of the tensors in objects of 24 bytes overflow"},
        {"PricesThatWouldOverflow",
         0,
         {absl::StrCat("n8 ", kMax), absl::StrCat("n24 ", kMax), "b1"},
         "line 3: the tensors in an object of 8 bytes weigh more"},
        {"LimitsAtTheirLargestPrice",
         0,
         {absl::StrCat("x8 ", kMax), absl::StrCat("x24 ", kMax),
          absl::StrCat("b", kMax)},
         "line 3: the weights leave a plan of 32 bytes"},
        {"NothingLeft",
         12,
         {"w0 16", "w1 8", "w2 8", "w3 8", "b1", "b1"},
         "line 6: the proof is complete; expected its end"},
        {"NothingLeftToWeigh",
         12,
         {"w0 16", "w1 8", "w2 8", "w3 8", "b1", "w0 1"},
         "line 6: the proof is complete; expected its end"},
        {"ANodeLeftOpen",
         12,
         {"m24 1", "n24 24", "b1"},
         "line 4: the proof is not complete"},
        {"AnEmptyLog", 12, {}, "line 1: the proof is not complete"},
        {"ALetterOfOffsets", 0, {"p0"}, "line 1: \"p0\"; expected a step"},
        {"OneNumber", 0, {"w0"}, "line 1: \"w0\"; expected a step"},
        {"ANumberTooMany", 0, {"b1 1"}, "line 1: \"b1 1\"; expected a step"},
        {"ALeadingZero", 0, {"w0 01"}, "line 1: \"w0 01\"; expected a step"},
        {"ANegativePrice", 0, {"n8 -1"}, "line 1: \"n8 -1\"; expected a step"},
        {"BeyondAllNumbers",
         0,
         {absl::StrCat("w0 ", kMax, "0")},
         "; expected a step"},
        {"TooLong", 0, {std::string(1000, '1')}, "line 1: too long"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ObjectsLog, IsRefusedWithAnyByteChangedOrLeftOut) {
  const std::string lines = TextOf(FourLines());
  const auto bound_of = [&](const std::string& text) {
    return BoundOfObjectsLog(FourRecords(), {{0, 1, 2, 3}, 39, text});
  };
  ASSERT_TRUE(bound_of(lines).ok());
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const char c : {'0', '1', '9', 'm', 'b', 'w', '\n', ' ', '\0'}) {
      std::string changed = lines;
      changed[i] = c;
      if (changed == lines) continue;
      EXPECT_FALSE(bound_of(changed).ok()) << changed;
    }
    EXPECT_FALSE(bound_of(lines.substr(0, i)).ok());
    EXPECT_FALSE(bound_of(std::string(lines).erase(i, 1)).ok());
  }
  EXPECT_THAT(std::string(bound_of(lines + "b1\n").status().message()),
              HasSubstr("more lines follow"));
}

// Lines that set weights may be swapped with each other. No other lines may be
// swapped, and no line may be missing.
TEST(ObjectsLog, IsRefusedWithLinesLeftOutOrSwapped) {
  for (size_t i = 0; i < FourLines().size(); ++i) {
    Lines changed = FourLines();
    changed.erase(changed.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_FALSE(BoundOfFour(changed).ok()) << FourLines()[i];
    for (size_t k = i + 1; k < FourLines().size(); ++k) {
      changed = FourLines();
      std::swap(changed[i], changed[k]);
      const bool is_of_weights = (i >= 3 && k <= 5) || (i >= 7 && k <= 10);
      EXPECT_EQ(BoundOfFour(changed).ok(),
                is_of_weights || changed == FourLines())
          << i << " and " << k;
    }
  }
}

TEST(ObjectsLog, OfRecordsThatNoneMayListIsRefused) {
  const std::string text = TextOf(FourLines());
  EXPECT_TRUE(absl::IsInvalidArgument(
      BoundOfObjectsLog(FourRecords(), {{}, 39, text}).status()));
  // A tensor without bytes conflicts with no other tensor, so it could not be
  // part of a chain.
  const Records none = {{0, 0, 0}, {0, 0, 0}};
  const absl::Status status =
      BoundOfObjectsLog(none, {{0, 1}, 0, TextOf({"w0 1", "b1"})}).status();
  EXPECT_EQ(status.message(), "a tensor of the proof has no bytes");
}

TEST(ObjectsLog, IsNotReplayedForVeryManyRecords) {
  Records records;
  for (size_t i = 1; i <= 5000; ++i) records.emplace_back(i, i, i);
  std::vector<size_t> all(records.size());
  std::iota(all.begin(), all.end(), size_t{0});
  EXPECT_TRUE(absl::IsResourceExhausted(
      BoundOfObjectsLog(records, {all, 100, ""}).status()));
}

// Two records of nearly 2^64 bytes are live at different tasks.
TEST(ObjectsLog, IsExactAtTheLargestSizes) {
  const size_t max = std::numeric_limits<size_t>::max();
  const Records records = {{max - 1, 0, 0}, {max, 1, 1}};
  const auto bound_of = [&](size_t capacity, const Lines& lines) {
    return BoundOfObjectsLog(records, {{0, 1}, capacity, TextOf(lines)});
  };
  const std::string weight = absl::StrCat("w1 ", max);
  EXPECT_EQ(bound_of(max - 1, {weight, "b1"}).value(), max);
  EXPECT_FALSE(bound_of(max, {weight, "b1"}).ok());
  EXPECT_FALSE(bound_of(max - 1, {"w1 1", "b1"}).ok());
  const std::string scale = absl::StrCat("b", max);
  EXPECT_FALSE(bound_of(max - 1, {weight, scale}).ok());
}

// The depth of splits is limited, regardless of the log.
TEST(ObjectsLog, OfSplitsWithoutEndIsRefused) {
  Records records(100'000, {1, 0, 0});
  std::vector<size_t> all(records.size());
  std::iota(all.begin(), all.end(), size_t{0});
  Lines lines;
  for (size_t k = 0; k < 70'000; ++k) lines.push_back(absl::StrCat("m1 ", k));
  EXPECT_EQ(
      BoundOfObjectsLog(records, {all, 100, TextOf(lines)}).status().message(),
      "log line 65537: too many open splits");
}

// The tests below check the certificate that contains the log.

ProblemSpec SpecOf(const Records& records) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = records;
  return spec;
}

constexpr char kPlanOfFour[] =
    R"("status":"optimal","total_size":40,"lower_bound":40,)"
    R"("object_ids":[0,1,2,0],"object_sizes":[24,8,8])";

std::string CertificateOfFour(
    const Lines& lines, absl::string_view claim = kPlanOfFour,
    absl::string_view keys = R"("tensors":["0","1","2","3"],"capacity":39)") {
  return absl::StrCat(R"({"format":"stowage certificate 1","kind":"objects",)",
                      R"("ids":["0","1","2","3"],)", claim,
                      R"(,"proof":{"by":"search","strategy":"optimal",)",
                      R"("seed":1,"nodes":1,)", keys, "}}\nlog\n",
                      TextOf(lines));
}

TEST(ObjectsLog, IsPartOfACertificate) {
  const auto verdict =
      CheckCertificate(SpecOf(FourRecords()), CertificateOfFour(FourLines()));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->proved,
              ElementsAre("no plan is smaller than 32 bytes: the records show "
                          "it",
                          "no plan is smaller than 40 bytes: the log of a "
                          "search shows it"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

TEST(ObjectsLog, ProvesAConflict) {
  const auto verdict = CheckCertificate(
      SpecOf(FourRecords()),
      CertificateOfFour(FourLines(),
                        R"("status":"infeasible","capacity":39,)"
                        R"("lower_bound":40,"conflict":["0","1","2","3"])"));
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->refuted, "");
  EXPECT_THAT(verdict->proved,
              Contains("the conflict of 4 tensors needs 40 bytes, more than "
                       "the capacity of 39"));
  EXPECT_THAT(verdict->not_checked, IsEmpty());
}

TEST(ObjectsLog, OfAnotherClaimIsRefuted) {
  const auto refuted_with = [](absl::string_view keys) {
    const auto verdict =
        CheckCertificate(SpecOf(FourRecords()),
                         CertificateOfFour(FourLines(), kPlanOfFour, keys));
    return verdict.ok() ? verdict->refuted
                        : std::string(verdict.status().message());
  };
  EXPECT_THAT(refuted_with(R"("tensors":["0","1","2","3"],"capacity":31)"),
              "the log shows a lower bound of 32 bytes, not of 40");
  EXPECT_THAT(refuted_with(R"("tensors":["0","1","2"],"capacity":39)"),
              "log line 10: tensor 3 is not listed");
  EXPECT_THAT(refuted_with(R"("tensors":["0","2","3","1"],"capacity":39)"),
              HasSubstr("log line "));
  EXPECT_THAT(refuted_with(R"("tensors":["0","1","1","3"],"capacity":39)"),
              HasSubstr("each once"));
  EXPECT_THAT(
      refuted_with(R"("tensors":["0","1","2","3"],"capacity":39,"unit":1)"),
      HasSubstr("unknown key \"proof.unit\""));
  EXPECT_THAT(refuted_with(R"("tensors":["0","1","2","3"])"),
              HasSubstr("key 'proof.capacity'"));
}

// Some lines begin in one piece of the input and continue in the next.
TEST(ObjectsLog, IsReadInPiecesHoweverLongItIs) {
  Lines lines;
  for (int k = 0; k < 100'000; ++k) lines.push_back("w0 0");
  lines.insert(lines.end(), FourLines().begin(), FourLines().end());
  const std::string text = TextOf(lines);
  absl::string_view rest = text;
  const ReadText read = [&](absl::Span<char> buffer) -> absl::StatusOr<size_t> {
    const size_t count =
        rest.copy(buffer.data(), std::min<size_t>(buffer.size(), 1003));
    rest.remove_prefix(count);
    return count;
  };
  EXPECT_EQ(
      BoundOfObjectsLog(FourRecords(), {{0, 1, 2, 3}, 39, "", read}).value(),
      40u);
}

}  // namespace
}  // namespace stowage
