// SPDX-License-Identifier: Apache-2.0
// Tests the reader of logs of `valgrind --trace-malloc=yes`: functions, lines
// with several calls, processes, and damaged logs.
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

constexpr char kValgrindStart[] =
    "==7== Memcheck, a memory error detector\n"
    "==7== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info\n"
    "==7== Command: ./a\n==7== \n";

struct ValgrindCase {
  const char* name;
  const char* lines;  // after kValgrindStart
  std::vector<std::string> rows;
};

class ValgrindTest : public testing::TestWithParam<ValgrindCase> {};

TEST_P(ValgrindTest, GivesBlocks) {
  const auto recording =
      ParseRecording(absl::StrCat(kValgrindStart, GetParam().lines), "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "valgrind");
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(recording->parts[0].name, "7");
  EXPECT_EQ(BlockRows(recording->parts[0].file), GetParam().rows);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ValgrindTest,
    testing::Values(
        ValgrindCase{"Malloc",
                     "--7-- malloc(1000) = 0x4A43040\n--7-- free(0x4A43040)\n",
                     {"0,1,1000"}},
        ValgrindCase{"LiveAtTheEnd",
                     "--7-- malloc(10) = 0x10\n--7-- malloc(20) = 0x20\n"
                     "--7-- free(0x20)\n",
                     {"0,3,10", "1,2,20"}},
        ValgrindCase{"Calloc",
                     "--7-- calloc(10,20) = 0x10\n--7-- free(0x10)\n",
                     {"0,1,200"}},
        ValgrindCase{"Memalign",
                     "--7-- memalign(al 64, size 100) = 0x40\n"
                     "--7-- malloc(8) = 0x10\n--7-- free(0x40)\n",
                     {"0,2,100,64", "1,3,8,1"}},
        ValgrindCase{"MemalignIsRoundedUp",
                     "--7-- memalign(al 48, size 100) = 0x40\n"
                     "--7-- free(0x40)\n",
                     {"0,1,100,64"}},
        ValgrindCase{"Operators",
                     "--7-- _Znwm(4) = 0x10\n--7-- _Znam(28) = 0x20\n"
                     "--7-- _ZdlPvm(0x10)\n--7-- _ZdaPv(0x20)\n",
                     {"0,2,4", "1,3,28"}},
        ValgrindCase{"AlignedOperators",
                     "--7-- _ZnwmSt11align_val_t(size 128, al 32) = 0x20\n"
                     "--7-- _ZdlPvmSt11align_val_t(0x20)\n",
                     {"0,1,128,32"}},
        ValgrindCase{"Zones",
                     "--7-- malloc_zone_malloc(0x99, 16) = 0x20\n"
                     "--7-- zone_calloc(0x99, 2,8) = 0x40\n"
                     "--7-- malloc_zone_free(0x99, 0x20)\n",
                     {"0,2,16", "1,3,16"}},
        ValgrindCase{"NullIsNoEvent",
                     "--7-- free(0x0)\n--7-- malloc(5) = 0x0\n"
                     "--7-- malloc(10) = 0x10\n--7-- free(0x10)\n",
                     {"0,1,10"}},
        ValgrindCase{"NoBytes",
                     "--7-- malloc(0) = 0x10\n--7-- free(0x10)\n"
                     "--7-- malloc(10) = 0x10\n--7-- free(0x10)\n",
                     {"2,3,10"}},
        ValgrindCase{"OtherFunctions",
                     "--7-- malloc(33) = 0x10\n"
                     "--7-- malloc_usable_size(0x10) = 33\n"
                     "--7-- mallinfo()\n--7-- free(0x10)\n",
                     {"0,1,33"}},
        ValgrindCase{"TimeStamps",
                     "--00:00:00:01.234 7-- malloc(10) = 0x10\n"
                     "--00:00:00:01.235 7-- free(0x10)\n",
                     {"0,1,10"}}),
    [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Reallocs, ValgrindTest,
    testing::Values(
        ValgrindCase{"Moves",
                     "--7-- malloc(10) = 0x10\n--7-- realloc(0x10,20) = 0x40\n"
                     "--7-- free(0x40)\n",
                     {"0,1,10", "2,3,20"}},
        ValgrindCase{"NullCallsMalloc",
                     "--7-- realloc(0x0,300)malloc(300) = 0x10\n"
                     "--7-- free(0x10)\n",
                     {"0,1,300"}},
        ValgrindCase{"NullWithItsOwnResult",
                     "--7-- realloc(0x0,300) = 0x10\n--7-- free(0x10)\n",
                     {"0,1,300"}},
        ValgrindCase{"NoBytesCallsFree",
                     "--7-- malloc(10) = 0x10\n"
                     "--7-- realloc(0x10,0)free(0x10)\n--7--  = 0\n"
                     "--7-- malloc(20) = 0x10\n--7-- free(0x10)\n",
                     {"0,1,10", "2,3,20"}},
        ValgrindCase{"NoBytesWithItsOwnResult",
                     "--7-- malloc(10) = 0x10\n--7-- realloc(0x10,0) = 0x0\n"
                     "--7-- malloc(20) = 0x10\n--7-- free(0x10)\n",
                     {"0,1,10", "2,3,20"}},
        ValgrindCase{"Fails",
                     "--7-- malloc(10) = 0x10\n"
                     "--7-- realloc(0x10,18446744073709551516)Argument 'size' "
                     "of function realloc has a fishy value: -100\n"
                     "==7==    at 0x484682F: realloc (in /usr/lib/a.so)\n"
                     "--7--  = 0x0\n--7-- free(0x10)\n",
                     {"0,1,10"}},
        ValgrindCase{"ArrayHasItsResultTwice",
                     "--7-- reallocarray(0x0,3,5) = 0x10\n--7--  = 0x10\n"
                     "--7-- reallocarray(0x10,7,9) = 0x40\n--7--  = 0x40\n"
                     "--7-- free(0x40)\n",
                     {"0,1,15", "2,3,63"}}),
    [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Lines, ValgrindTest,
    testing::Values(
        ValgrindCase{"WarningInACall",
                     "--7-- malloc(314572800)Warning: set address range perms: "
                     "large range [0x10, 0x40) (undefined)\n"
                     "--7--  = 0x10\n--7-- free(0x10)\n",
                     {"0,1,314572800"}},
        ValgrindCase{"CallocOverflowHasNoResult",
                     "--7-- calloc(1152921504606846976,64)malloc(33) = 0x10\n"
                     "--7-- free(0x10)\n",
                     {"0,1,33"}},
        ValgrindCase{"OutputOfTheProgram",
                     "malloc(1) = 0x99\nno end--7-- malloc(10) = 0x10\n"
                     "a -- b --7- --\n--7-- free(0x10)\n",
                     {"0,1,10"}},
        ValgrindCase{"MessagesOfValgrind",
                     "--7-- REDIR: 0x40 (libc.so.6:malloc) redirected to 0x5\n"
                     "--7-- Reading syms from /usr/bin/malloc(1)\n"
                     "--7-- malloc(10) = 0x10\n==7== Invalid read of size 1\n"
                     "==7==    by 0x1: malloc(20) = 0x5\n--7-- free(0x10)\n",
                     {"0,1,10"}},
        ValgrindCase{"AThreadInACall",
                     "--7-- malloc(10)malloc(20) = 0x20\n--7-- free(0x20)\n"
                     "--7--  = 0x10\n--7-- free(0x10)\n",
                     {"0,1,20", "2,3,10"}},
        // Another thread gets the memory before realloc writes its result.
        ValgrindCase{"AThreadInARealloc",
                     "--7-- malloc(10) = 0x10\n"
                     "--7-- realloc(0x10,30)malloc(20) = 0x10\n"
                     "--7--  = 0x40\n--7-- free(0x10)\n--7-- free(0x40)\n",
                     {"0,1,10", "2,4,20", "3,5,30"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ValgrindLogTest, EachProcessAndEachProgramIsAPart) {
  const auto recording = ParseRecording(
      absl::StrCat(kValgrindStart,
                   "--7-- malloc(10) = 0x10\n--8-- free(0x10)\n"
                   "--8-- malloc(20) = 0x10\n--7-- free(0x10)\n"
                   "==8== Command: /bin/b\n--8-- malloc(30) = 0x10\n"),
      "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 3U);
  EXPECT_EQ(recording->parts[0].name, "7");
  EXPECT_EQ(recording->parts[1].name, "8");
  EXPECT_EQ(recording->parts[2].name, "8/2");
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,10"));
  EXPECT_THAT(BlockRows(recording->parts[1].file), ElementsAre("1,2,20"));
  EXPECT_THAT(BlockRows(recording->parts[2].file), ElementsAre("0,1,30"));
  EXPECT_THAT(recording->parts[1].file.note,
              HasSubstr("1 free of a block that it does not contain"));
}

TEST(ValgrindLogTest, AllocationsWithoutAnAddressAreCounted) {
  const auto recording = ParseRecording(
      absl::StrCat(kValgrindStart,
                   "--7-- posix_memalign(al 64, size 100)\n"
                   "--7-- aligned_alloc(al 64, size 128)malloc(8) = 0x10\n"
                   "--7-- aligned_alloc(al 64, size 64) = 0x40\n"),
      "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  const ProblemFile& file = recording->parts[0].file;
  EXPECT_THAT(BlockRows(file), ElementsAre("0,2,8,1", "1,2,64,64"));
  EXPECT_THAT(file.note, HasSubstr("2 calls of aligned_alloc or "
                                   "posix_memalign left out"));
}

// The log does not show which call a result belongs to. In this log, the first
// call may have returned first.
TEST(ValgrindLogTest, ResultsAmongCallsOfSeveralThreadsAreCounted) {
  const auto recording = ParseRecording(
      absl::StrCat(kValgrindStart,
                   "--7-- malloc(10)malloc(1000) = 0x10\n--7--  = 0x20\n"
                   "--7-- free(0x20)\n--7-- free(0x10)\n"),
      "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->parts[0].file.note,
            "1 result among calls of several threads, each taken for the call "
            "that began last");
}

TEST(ValgrindLogTest, ACutLastLineIsLeftOut) {
  const auto recording = ParseRecording(
      absl::StrCat(kValgrindStart, "--7-- malloc(10) = 0x10\n--7-- free(0x1"),
      "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(BlockRows(recording->parts[0].file), ElementsAre("0,1,10"));
}

TEST(ValgrindLogTest, TheBannerMayBeAbsent) {
  const auto recording =
      ParseRecording("hello\n--7-- malloc(10) = 0x10\n", "log");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "valgrind");
}

struct BadValgrindCase {
  const char* name;
  std::string lines;
  const char* error;
};

class BadValgrindTest : public testing::TestWithParam<BadValgrindCase> {};

TEST_P(BadValgrindTest, IsRefused) {
  const auto recording =
      ParseRecording(absl::StrCat(kValgrindStart, GetParam().lines), "log");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(), HasSubstr(GetParam().error));
}

std::string CallsOfManyProcesses() {
  std::string lines;
  for (int process = 1; process <= 70000; ++process) {
    absl::StrAppend(&lines, "--", process, "-- free(0x10)\n");
  }
  return lines;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadValgrindTest,
    testing::Values(
        BadValgrindCase{"NoTrace", "==7== HEAP SUMMARY:\n",
                        "log: line 5: ends a log without allocations; expected "
                        "a log of valgrind --trace-malloc=yes"},
        BadValgrindCase{"NoNumber", "--7-- malloc(x) = 0x10\n",
                        "log: line 5: \"malloc(x)\" is not a call"},
        BadValgrindCase{"LargeNumber",
                        "--7-- malloc(99999999999999999999) = 0x10\n",
                        "log: line 5: "},
        BadValgrindCase{"OneArgument", "--7-- calloc(1) = 0x10\n",
                        "log: line 5: "},
        BadValgrindCase{"NoZone", "--7-- malloc_zone_free(al 3)\n",
                        "log: line 5: "},
        BadValgrindCase{"ManyProcesses", CallsOfManyProcesses(),
                        "is of one process too many; expected at most 65536"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ValgrindLogTest, RealLogs) { ExpectRealLogs(".vgtrace", "valgrind"); }

}  // namespace
}  // namespace stowage::recordings
