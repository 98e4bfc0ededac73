// SPDX-License-Identifier: Apache-2.0
// Tests that touches of large blocks are recorded where they happen, and that
// programs behave the same with and without the recording.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stowage/problem.h"
#include "stowage/recordings/record_program.h"
#include "stowage/recordings/recording.h"
#include "stowage/usage_record.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using testing::HasSubstr;
using Record = TensorUsageRecord<size_t>;

constexpr char kTouchSubject[] = STOWAGE_TOUCHES_SUBJECT;
constexpr size_t kTouchedBytes = 64 << 10;  // size of a large block

class TouchesTest : public TempFolderTest {
 protected:
  void SetUp() override {
    if (!CanRecordTouches()) {
      GTEST_SKIP() << "needs Linux 5.11 or later on x86-64";
    }
  }

  RecordedProgram RecordTouches(const std::vector<std::string>& command) const {
    RecordOptions options;
    options.touches = true;
    auto program =
        RecordProgram(command, Path("logs"), STOWAGE_RECORD_LIBRARY, options);
    EXPECT_TRUE(program.ok()) << program.status();
    return program.ok() ? *program : RecordedProgram();
  }

  // Returns the blocks whose size is that of the program's large blocks.
  static std::vector<Record> LargeBlocks(const RecordedProgram& program,
                                         UseRule uses,
                                         std::string* note = nullptr) {
    RecordingOptions options;
    options.events.uses = uses;
    std::vector<Record> large;
    if (program.images.empty()) return large;
    const auto recording = ReadRecording(program.images[0].path, options);
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) return large;
    const ProblemFile& file = recording->parts[0].file;
    if (note != nullptr) *note = file.note;
    for (const Record& record : file.problem.records) {
      if (record.tensor_size == kTouchedBytes) large.push_back(record);
    }
    return large;
  }

  // Returns the largest number of blocks that are live at one task.
  static size_t MostLive(const std::vector<Record>& blocks) {
    size_t most = 0;
    for (const Record& begins : blocks) {
      const auto is_live = [&begins](const Record& block) {
        return block.first_task <= begins.first_task &&
               begins.first_task <= block.last_task;
      };
      most = std::max(most, static_cast<size_t>(std::count_if(
                                blocks.begin(), blocks.end(), is_live)));
    }
    return most;
  }
};

TEST_F(TouchesTest, BuffersOfLayersLiveFromOneToTheNext) {
  const RecordedProgram program = RecordTouches({kTouchSubject, "layers"});
  ASSERT_EQ(program.exit_code, 0);
  std::string note;
  const auto by_touches = LargeBlocks(program, UseRule::kTouches, &note);
  EXPECT_EQ(by_touches.size(), 7U);
  EXPECT_EQ(MostLive(by_touches), 2U);
  EXPECT_EQ(MostLive(LargeBlocks(program, UseRule::kAllocation)), 7U);
  EXPECT_THAT(note, HasSubstr("7 blocks with uses: the peak is 458752 bytes by "
                              "allocation and 131072 bytes by touches"));
}

TEST_F(TouchesTest, LifetimesAreFromTheFirstTouchToTheLast) {
  const RecordedProgram program = RecordTouches({kTouchSubject, "once"});
  ASSERT_EQ(program.exit_code, 0);
  const auto allocated = LargeBlocks(program, UseRule::kAllocation);
  const auto touched = LargeBlocks(program, UseRule::kTouches);
  ASSERT_EQ(allocated.size(), 4U);
  ASSERT_EQ(touched.size(), 4U);
  // The first block is touched once, after the second block was allocated.
  EXPECT_GT(touched[0].first_task, allocated[1].first_task);
  EXPECT_LT(touched[0].last_task, allocated[2].first_task);
  // The second block is not touched.
  EXPECT_EQ(touched[1].first_task, allocated[1].first_task);
  EXPECT_EQ(touched[1].last_task, allocated[1].last_task);
  // The last read of the third block comes before the first write to the fourth
  // block.
  EXPECT_LT(touched[2].first_task, allocated[3].first_task);
  EXPECT_GT(touched[2].last_task, allocated[3].first_task);
  EXPECT_LT(touched[2].last_task, touched[3].first_task);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_GE(touched[i].first_task, allocated[i].first_task);
    EXPECT_LE(touched[i].last_task, allocated[i].last_task);
  }
}

TEST_F(TouchesTest, EveryRunHasTheSameTouches) {
  const auto rows = [this] {
    std::vector<std::vector<size_t>> result;
    for (const Record& record : LargeBlocks(
             RecordTouches({kTouchSubject, "layers"}), UseRule::kTouches)) {
      result.push_back({record.first_task, record.last_task});
    }
    return result;
  };
  const auto first = rows();
  EXPECT_EQ(first.size(), 7U);
  EXPECT_EQ(rows(), first);
}

// Runs programs that check their own results.
class TouchedProgramTest : public TouchesTest,
                           public testing::WithParamInterface<const char*> {};

TEST_P(TouchedProgramTest, DoesWhatItDoesWithoutIt) {
  const RecordedProgram program = RecordTouches({kTouchSubject, GetParam()});
  EXPECT_EQ(program.exit_code, 0) << "signal " << program.signal;
  std::string note;
  LargeBlocks(program, UseRule::kTouches, &note);
  EXPECT_THAT(note, HasSubstr("with uses"));
  EXPECT_THAT(note, testing::Not(HasSubstr("frees of blocks")));
  EXPECT_THAT(note, testing::Not(HasSubstr("still live")));
}

INSTANTIATE_TEST_SUITE_P(, TouchedProgramTest,
                         testing::Values("calls", "signals", "fork", "threads",
                                         "move", "stacks", "barrier"),
                         [](const auto& each) {
                           return std::string(each.param);
                         });

// Runs programs of the system, whose output must be the same with and without
// the recorder.
class TouchedSystemTest : public TouchesTest,
                          public testing::WithParamInterface<const char*> {};

TEST_P(TouchedSystemTest, GivesTheSameOutput) {
  std::string numbers;
  for (int i = 0; i < 5000; ++i) {
    absl::StrAppend(&numbers, i * 7919 % 5000, "\n");
  }
  const std::string line =
      absl::StrCat(GetParam(), " < ", Write("numbers", numbers), " > ");
  const int plain = std::system(absl::StrCat(line, Path("plain")).c_str());
  if (plain != 0) GTEST_SKIP() << "this program is not installed";
  const RecordedProgram program =
      RecordTouches({"sh", "-c", absl::StrCat(line, Path("touched"))});
  EXPECT_EQ(program.exit_code, 0);
  EXPECT_NE(Read("plain"), "");
  EXPECT_EQ(Read("plain"), Read("touched"));
}

INSTANTIATE_TEST_SUITE_P(
    , TouchedSystemTest,
    testing::Values("awk '{ t[$1] = $1 \"x\" } END { print length(t) }'",
                    "sort -n", "xz -1 -T2 -c", "gzip -c", "tac",
                    "perl -e 'print sort <STDIN>; system(\"echo a\")'",
                    "python3 -c 'import sys, json; "
                    "print(json.dumps(sys.stdin.readlines()))'"),
    [](const auto& each) {
      const std::string line = each.param;
      return line.substr(0, line.find(' '));
    });

}  // namespace
}  // namespace stowage
