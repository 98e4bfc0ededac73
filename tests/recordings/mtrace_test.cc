// SPDX-License-Identifier: Apache-2.0
// Tests the reader of mtrace logs: which lines are events, and how logs are
// read that are truncated, start over or are damaged.
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/malloc_samples.h"

namespace stowage::recordings {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct MtraceCase {
  const char* name;
  const char* events;  // the lines after "= Start"
  std::vector<std::string> rows;
};

class MtraceTest : public testing::TestWithParam<MtraceCase> {};

TEST_P(MtraceTest, GivesBlocks) {
  const auto recording =
      ParseRecording(std::string("= Start\n") + GetParam().events, "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "mtrace");
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(BlockRows(recording->parts[0].file), GetParam().rows);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MtraceTest,
    testing::Values(
        MtraceCase{"AllocAndFree",
                   "+ 0x10 0x20\n+ 0x40 0x8\n- 0x10\n- 0x40\n= End\n",
                   {"0,2,32", "1,3,8"}},
        MtraceCase{"LiveAtTheEnd",
                   "+ 0x10 0x20\n+ 0x40 0x8\n- 0x40\n",
                   {"0,3,32", "1,2,8"}},
        MtraceCase{"Callers",
                   "@ ./prog:[0x11fb] + 0x10 0x20\n"
                   "@ /lib/libc.so.6:(fn+0x12)[0x40] + 0x40 0x8\n"
                   "@ /lib/ld.so:(_dl_free+4f)[0x1179f] - 0x10\n",
                   {"0,2,32", "1,3,8"}},
        MtraceCase{"CallersWithBlanks",
                   "@ ./my + prog - 2:[0x11fb] + 0x10 0x20\n"
                   "@ ./my + prog - 2:[0x11fb] - 0x10\n",
                   {"0,1,32"}},
        MtraceCase{"CallersWithBrackets",
                   "@ ./my[0x1]prog:[0x11fb] + 0x10 0x20\n"
                   "@ ./my[0x1]prog:[0x11fb] - 0x10\n",
                   {"0,1,32"}},
        MtraceCase{"ReallocIsAFreeAndAnAllocation",
                   "+ 0x10 0x20\n< 0x10\n> 0x80 0x40\n- 0x80\n",
                   {"0,1,32", "2,3,64"}},
        MtraceCase{"ReallocInPlace",
                   "+ 0x10 0x20\n< 0x10\n> 0x10 0x40\n- 0x10\n",
                   {"0,1,32", "2,3,64"}},
        MtraceCase{"FailedReallocIsNoEvent",
                   "+ 0x10 0x20\n! 0x10 0xffffffffffffff9c\n- 0x10\n",
                   {"0,1,32"}},
        MtraceCase{"FailedMallocIsNoEvent",
                   "+ (nil) 0xffffffffffffff9c\n+ 0x10 0x20\n- 0x10\n",
                   {"0,1,32"}},
        MtraceCase{"NoBytesIsAnEventAlone",
                   "+ 0x10 0\n- 0x10\n+ 0x10 0x20\n- 0x10\n",
                   {"2,3,32"}},
        MtraceCase{"UnknownFreeIsAnEventAlone",
                   "- 0x99\n+ 0x10 0x20\n- 0x10\n",
                   {"1,2,32"}},
        // Another thread gets the memory at 0x10 after the realloc has freed it
        // but before the realloc writes its line.
        MtraceCase{"ReallocBesideAnotherThread",
                   "+ 0x10 0x20\n+ 0x10 0x8\n< 0x10\n> 0x80 0x40\n- 0x10\n",
                   {"0,1,32", "1,4,8", "3,5,64"}},
        MtraceCase{"LineEndsOfWindows",
                   "+ 0x10 0x20\r\n- 0x10\r\n= End\r\n",
                   {"0,1,32"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(MtraceLogTest, ACutLastLineIsLeftOut) {
  const auto recording =
      ParseRecording("= Start\n+ 0x10 0x20\n- 0x10\n+ 0x10 0x3", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const ProblemFile& file = recording->parts[0].file;
  EXPECT_THAT(BlockRows(file), ElementsAre("0,1,32"));
  EXPECT_EQ(file.note, "line 4 ends early and is left out");
}

TEST(MtraceLogTest, AWholeLogHasNoNote) {
  const auto recording =
      ParseRecording("= Start\n+ 0x10 0x20\n- 0x10\n= End", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->parts[0].file.note, "");
}

TEST(MtraceLogTest, EachStartBeginsAPart) {
  const auto recording = ParseRecording(
      "= Start\n+ 0x10 0x20\n= End\n= Start\n+ 0x10 0x40\n- 0x10\n", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 2U);
  EXPECT_EQ(recording->parts[0].name, "run 1");
  EXPECT_EQ(recording->parts[1].name, "run 2");
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,32"));
  EXPECT_THAT(BlockRows(recording->parts[1].file), ElementsAre("0,1,64"));
}

TEST(MtraceLogTest, RulesOfEventsHaveAnEffect) {
  RecordingOptions options;
  options.events.alive_after = AliveRule::kLeave;
  const auto recording =
      ParseRecording("= Start\n+ 0x10 0x20\n", "log", options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(BlockRows(recording->parts[0].file), IsEmpty());
}

TEST(MtraceLogTest, EditorsMayAddAByteOrderMark) {
  const auto recording =
      ParseRecording("\xEF\xBB\xBF= Start\n+ 0x10 0x20\n", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->parts[0].file.problem.records.size(), 1U);
}

TEST(MtraceLogTest, LongLogsAreRead) {
  std::string log = "= Start\n";
  constexpr size_t kBlocks = 100000;
  for (size_t i = 0; i < kBlocks; ++i) {
    log += "@ ./prog:[0x11fb] + 0x10 0x20\n@ ./prog:[0x120e] - 0x10\n";
  }
  const auto recording = ParseRecording(log, "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const ProblemSpec& problem = recording->parts[0].file.problem;
  ASSERT_EQ(problem.records.size(), kBlocks);
  EXPECT_EQ(problem.records.back().first_task, 2 * kBlocks - 2);
}

struct BadMtraceCase {
  const char* name;
  std::string log;
  const char* error;
};

class BadMtraceTest : public testing::TestWithParam<BadMtraceCase> {};

TEST_P(BadMtraceTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().log, "log");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(), HasSubstr(GetParam().error));
}

std::string ManyRuns() {
  std::string log;
  for (int i = 0; i <= 1 << 16; ++i) log += "= Start\n+ 0x10 0x20\n";
  return log;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadMtraceTest,
    testing::Values(
        BadMtraceCase{"ManyRuns", ManyRuns(),
                      "ends one run too many; expected at most 65536"},
        BadMtraceCase{"NoEvents", "= Start\n= End\n",
                      "log: line 2: ends a log without events"},
        BadMtraceCase{"TwoLinesInOne",
                      "= Start\n+ 0x10 0x2@ a:[0x1] - 0x40 1\n",
                      "log: line 2: \"+ 0x10 0x2@ a:[0x1] - 0x40 1\" is not an "
                      "event of mtrace; expected + ADDRESS SIZE"},
        BadMtraceCase{"ALineWithinALine",
                      "= Start\n@ a:[0x1] + 0x10 0x6@ a:[0x1] - 0x10\n",
                      "log: line 2: "},
        BadMtraceCase{"HalfALine", "= Start\nog:[0x11fb] + 0x10 0x20\n",
                      "log: line 2: "},
        BadMtraceCase{"LargeNumber", "= Start\n+ 0x10 0x10000000000000000\n",
                      "log: line 2: "},
        BadMtraceCase{"NoSize", "= Start\n+ 0x10\n", "log: line 2: "},
        BadMtraceCase{"LongLine", "= Start\n@ " + std::string(5 << 20, 'x'),
                      "log: line 2: is longer than 4194304 bytes"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(MtraceLogTest, RealLogs) { ExpectRealLogs(".mtrace", "mtrace"); }

}  // namespace
}  // namespace stowage::recordings
