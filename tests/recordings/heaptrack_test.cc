// SPDX-License-Identifier: Apache-2.0
// Tests the reader of heaptrack's raw files: numbers, lines that are not
// events, and damaged files.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/malloc_samples.h"

namespace stowage::recordings {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kHeaptrackStart[] =
    "v 10400 3\nx 4 /a/b\nX ./b\nI 1000 5e298d\nm 1 -\nm 1 x 55a9 0 860\n";

struct HeaptrackCase {
  const char* name;
  const char* lines;  // after kHeaptrackStart
  std::vector<std::string> rows;
};

class HeaptrackTest : public testing::TestWithParam<HeaptrackCase> {};

TEST_P(HeaptrackTest, GivesBlocks) {
  const auto recording =
      ParseRecording(absl::StrCat(kHeaptrackStart, GetParam().lines), "raw");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "heaptrack");
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(BlockRows(recording->parts[0].file), GetParam().rows);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, HeaptrackTest,
    testing::Values(
        HeaptrackCase{"NumbersAreHexadecimal",
                      "t 7f 0\n+ 3e8 1 a0\n+ c8 1 b0\n- a0\nc 4\nR 3b1\n- b0\n",
                      {"0,2,1000", "1,3,200"}},
        HeaptrackCase{"LiveAtTheEnd",
                      "+ 10 1 a0\n+ 20 1 b0\n- b0\n",
                      {"0,3,16", "1,2,32"}},
        HeaptrackCase{
            "NoBytes", "+ 0 1 a0\n- a0\n+ 10 1 a0\n- a0\n", {"2,3,16"}},
        // heaptrack writes no event for the free if a realloc to 0 bytes frees
        // a block.
        HeaptrackCase{"AddressIsUsedAgain",
                      "+ 10 1 a0\n+ 20 1 a0\n- a0\n+ 30 1 a0\n- a0\n",
                      {"0,1,16", "1,2,32", "3,4,48"}},
        // Another thread gets the memory at a0 after the realloc has freed it
        // but before the realloc writes its lines. The next event at a0 shows
        // which of the two blocks was freed.
        HeaptrackCase{"ReallocBesideAnotherThread",
                      "+ 10 1 a0\n+ 20 1 a0\n- a0\n+ 30 1 b0\n- a0\n- b0\n",
                      {"0,1,16", "1,4,32", "3,5,48"}},
        HeaptrackCase{"ReallocsBesideTwoThreads",
                      "+ 10 1 a0\n+ 20 1 a0\n+ 30 1 a0\n- a0\n+ 40 1 b0\n"
                      "- a0\n+ 50 1 c0\n- a0\n",
                      {"0,1,16", "1,2,32", "2,7,48", "4,8,64", "6,8,80"}},
        HeaptrackCase{"ReallocOrAnotherFree",
                      "+ 10 1 a0\n+ 20 1 a0\n- a0\n+ 30 1 b0\n- b0\n",
                      {"0,1,16", "1,5,32", "3,4,48"}},
        HeaptrackCase{"ReallocAfterAnotherFree",
                      "+ 10 1 a0\n+ 20 1 a0\n- a0\n- b0\n- a0\n+ 30 1 b0\n",
                      {"0,1,16", "1,2,32", "5,6,48"}},
        HeaptrackCase{"AFreeBeforeAnotherFree",
                      "+ 10 1 a0\n+ 20 1 a0\n- a0\n- b0\n+ 30 1 b0\n- b0\n",
                      {"0,1,16", "1,2,32", "4,5,48"}},
        HeaptrackCase{"UnknownFree", "- c0\n+ 10 1 a0\n- a0\n", {"1,2,16"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(HeaptrackFileTest, TheCommandMayHaveLineEnds) {
  const auto recording = ParseRecording(
      "v 10400 3\nx 4 /a/b\nX ./b -c\n+ 1\n- 2\nI 1000 5\nm 1 -\n"
      "+ 10 1 a0\n- a0\n",
      "raw");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,16"));
}

TEST(HeaptrackFileTest, OldFilesHaveNoNumberOfAFormat) {
  const auto recording =
      ParseRecording("v 10000\nx /a/b\nX ./b\nm -\n+ 10 1 a0\n- a0\n", "raw");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,16"));
}

TEST(HeaptrackFileTest, LinesAboutTheProgramMayBeMissing) {
  const auto recording = ParseRecording("v 10400 3\n+ 10 1 a0\n- a0\n", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->parts[0].file.problem.records.size(), 1U);
}

TEST(HeaptrackFileTest, EachVersionBeginsAPart) {
  const auto recording = ParseRecording(
      absl::StrCat(kHeaptrackStart, "+ 10 1 a0\n+ 20 1 b0\n- a0\n",
                   kHeaptrackStart, "- b0\n+ 30 1 a0\n- a0\n"),
      "raw");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 2U);
  EXPECT_EQ(recording->parts[0].name, "heap");
  EXPECT_EQ(recording->parts[1].name, "heap 2");
  EXPECT_THAT(BlockRows(recording->parts[0].file),
              ElementsAre("0,2,16", "1,3,32"));
  EXPECT_THAT(BlockRows(recording->parts[1].file), ElementsAre("1,2,48"));
}

TEST(HeaptrackFileTest, ACutLastLineIsLeftOut) {
  const auto recording = ParseRecording(
      absl::StrCat(kHeaptrackStart, "+ 10 1 a0\n- a0\n+ 10 1 a"), "raw");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,16"));
  EXPECT_EQ(recording->parts[0].file.note, "line 9 ends early and is left out");
}

struct BadHeaptrackCase {
  const char* name;
  std::string file;
  const char* error;
};

class BadHeaptrackTest : public testing::TestWithParam<BadHeaptrackCase> {};

TEST_P(BadHeaptrackTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().file, "raw");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadHeaptrackTest,
    testing::Values(
        BadHeaptrackCase{"NewFormat", "v 10600 4\nx 4 /a/b\nX ./b\n",
                         "raw: line 1: \"v 10600 4\" is not a known version"},
        BadHeaptrackCase{
            "NewFormatOfAJoinedFile",
            absl::StrCat(kHeaptrackStart, "+ 10 1 a0\nv 20000 9\n"),
            "raw: line 8: \"v 20000 9\" is not a known version"},
        BadHeaptrackCase{"OnlyAVersion", "v 10400 3\n",
                         "ends a file without events"},
        BadHeaptrackCase{"NoEvents", kHeaptrackStart,
                         "raw: line 6: ends a file without events"},
        BadHeaptrackCase{"NoAddress", absl::StrCat(kHeaptrackStart, "+ 10 1\n"),
                         "raw: line 7: \"+ 10 1\" is not an allocation"},
        BadHeaptrackCase{
            "LargeNumber",
            absl::StrCat(kHeaptrackStart, "+ 10000000000000000 1 a0\n"),
            "raw: line 7: "},
        BadHeaptrackCase{"NoNumber", absl::StrCat(kHeaptrackStart, "- xyz\n"),
                         "raw: line 7: \"- xyz\" is not a free"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(HeaptrackFileTest, RealFiles) {
  ExpectRealLogs(".heaptrack.raw.zst", "heaptrack");
}

}  // namespace
}  // namespace stowage::recordings
