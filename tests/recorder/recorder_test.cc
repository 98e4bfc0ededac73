// SPDX-License-Identifier: Apache-2.0
// Tests the recorder for runtimes. The tests read its logs in the same way as a
// user.
#include "stowage/recorder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "stowage/recordings/log_info.h"
#include "stowage/recordings/recording.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RecorderTest : public TempFolderTest {
 protected:
  // Returns the only part of the recording in the folder.
  ProblemFile Read() const {
    const auto recording = ReadRecording(Path("log"));
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) return {};
    EXPECT_EQ(recording->parts.size(), 1U);
    return recording->parts[0].file;
  }

  LogInfo Info() const {
    const auto info = ReadLogInfo(Path("log"));
    EXPECT_TRUE(info.ok()) << info.status();
    return info.ok() ? *info : LogInfo();
  }
};

TEST_F(RecorderTest, EventsAreTasks) {
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  stowage_recorder_on_alloc(recorder, 0x1000, 64, 32, 0);
  stowage_recorder_on_alloc(recorder, 0x2000, 8, 0, 0);
  stowage_recorder_on_free(recorder, 0x1000);
  stowage_recorder_on_alloc(recorder, 0x1000, 16, 1, 0);
  stowage_recorder_on_free(recorder, 0x2000);
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  const ProblemFile file = Read();
  const auto& records = file.problem.records;
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].tensor_size, 64U);
  EXPECT_EQ(records[0].first_task, 0U);
  EXPECT_EQ(records[0].last_task, 1U);
  EXPECT_EQ(records[1].first_task, 1U);
  EXPECT_EQ(records[1].last_task, 3U);
  EXPECT_EQ(records[2].first_task, 3U);
  EXPECT_EQ(records[2].last_task, 4U);
  EXPECT_THAT(file.problem.alignments, ElementsAre(32, 1, 1));
  EXPECT_THAT(file.problem.names, ElementsAre("0", "1", "2"));
  EXPECT_THAT(file.note, HasSubstr("1 block live at its end"));
  EXPECT_THAT(file.note, Not(HasSubstr("closed")));
}

TEST_F(RecorderTest, StepsAreTasksIfThereAreAny) {
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  stowage_recorder_on_alloc(recorder, 1, 64, 0, 0);
  stowage_recorder_on_alloc(recorder, 2, 32, 0, 0);
  stowage_recorder_on_free(recorder, 2);
  // The previous block with this id is live at this task, too.
  stowage_recorder_on_alloc(recorder, 2, 16, 0, 0);
  stowage_recorder_step(recorder);
  stowage_recorder_on_free(recorder, 1);
  stowage_recorder_step(recorder);
  stowage_recorder_on_alloc(recorder, 1, 8, 0, 0);
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  const ProblemFile file = Read();
  std::vector<std::vector<size_t>> rows;
  for (const auto& record : file.problem.records) {
    rows.push_back({record.tensor_size, record.first_task, record.last_task});
  }
  using Row = std::vector<size_t>;
  EXPECT_THAT(rows, ElementsAre(Row{64, 0, 1}, Row{32, 0, 0}, Row{16, 0, 2},
                                Row{8, 2, 2}));
}

TEST_F(RecorderTest, UsesGiveLifetimesFromTouchToTouch) {
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  stowage_recorder_on_alloc(recorder, 1, 64, 0, 0);
  stowage_recorder_step(recorder);
  stowage_recorder_on_use(recorder, 1, STOWAGE_RECORDER_WRITE);
  stowage_recorder_step(recorder);
  stowage_recorder_on_use(recorder, 1, STOWAGE_RECORDER_READ);
  stowage_recorder_step(recorder);
  stowage_recorder_on_free(recorder, 1);
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  RecordingOptions options;
  options.events.uses = UseRule::kTouches;
  const auto recording = ReadRecording(Path("log"), options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  const auto& records = recording->parts[0].file.problem.records;
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].first_task, 1U);
  EXPECT_EQ(records[0].last_task, 2U);
  EXPECT_EQ(Read().problem.records[0].last_task, 3U);
}

TEST_F(RecorderTest, PoolsAreParts) {
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  stowage_recorder_on_alloc(recorder, 1, 64, 0, 0);
  stowage_recorder_on_alloc(recorder, 2, 32, 16, 7);
  stowage_recorder_on_free(recorder, 2);
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  const auto recording = ReadRecording(Path("log"));
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 2U);
  EXPECT_EQ(recording->parts[0].name, "pool 0");
  EXPECT_EQ(recording->parts[1].name, "pool 7");
  EXPECT_EQ(recording->parts[1].file.problem.records[0].last_task, 1U);
}

TEST_F(RecorderTest, ReplacesNoFile) {
  Write("log", "something else");
  EXPECT_EQ(stowage_recorder_open(Path("log").c_str()), nullptr);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(TempFolderTest::Read("log"), "something else");
  EXPECT_EQ(stowage_recorder_open(Path("none/log").c_str()), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(RecorderTest, NullRecordsNothing) {
  errno = 0;
  EXPECT_EQ(stowage_recorder_open(nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
  stowage_recorder_on_alloc(nullptr, 1, 1, 1, 1);
  stowage_recorder_on_use(nullptr, 1, STOWAGE_RECORDER_READ);
  stowage_recorder_on_free(nullptr, 1);
  stowage_recorder_step(nullptr);
  EXPECT_EQ(stowage_recorder_close(nullptr), 0);
}

// Records `count` allocations and then kills the calling process. Requires that
// the calling process is a child process.
void RecordAndDie(const std::string& path, uint64_t count) {
  stowage_recorder* const recorder = stowage_recorder_open(path.c_str());
  for (uint64_t i = 0; i < count; ++i) {
    stowage_recorder_on_alloc(recorder, i, 1, 0, 0);
  }
  raise(SIGKILL);
}

TEST_F(RecorderTest, KilledProgramsLoseNothing) {
  constexpr uint64_t kCount = 100'000;
  const pid_t child = fork();
  if (child == 0) RecordAndDie(Path("log"), kCount);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Info().allocations, kCount);
  EXPECT_EQ(Info().lost_events, 0U);
  EXPECT_THAT(Read().note, HasSubstr("the recorder was not closed"));
}

TEST_F(RecorderTest, FullFilesAreReported) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {1 << 16, 1 << 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    stowage_recorder* const recorder =
        stowage_recorder_open(Path("log").c_str());
    for (uint64_t i = 0; i < 100'000; ++i) {
      stowage_recorder_on_alloc(recorder, i, 1, 0, 0);
    }
    _exit(stowage_recorder_close(recorder) == EFBIG ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  const LogInfo info = Info();
  EXPECT_GT(info.lost_events, 0U);
  EXPECT_EQ(info.allocations + info.lost_events, 100'000U);
  EXPECT_THAT(Read().note, HasSubstr("File too large"));
}

TEST_F(RecorderTest, ForkedChildrenRecordNothing) {
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  stowage_recorder_on_alloc(recorder, 1, 1, 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    stowage_recorder_on_alloc(recorder, 2, 1, 0, 0);
    _exit(stowage_recorder_close(recorder));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  stowage_recorder_on_alloc(recorder, 3, 1, 0, 0);
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  EXPECT_EQ(Info().allocations, 2U);
}

// Threads pass blocks to each other. The log would be irregular if it did not
// preserve the order between the events of the two threads.
TEST_F(RecorderTest, ThreadsAreMergedInOrder) {
  constexpr uint64_t kEvents = support::kIsSanitized ? 200'000 : 5'000'000;
  constexpr uint64_t kIds = 64;
  stowage_recorder* const recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(recorder, nullptr);
  // The state of the block with each id: 0 if it is free, 1 if it is live, 2
  // while a thread holds it.
  std::vector<std::atomic<int>> states(kIds);
  std::vector<uint64_t> counts(2);
  const auto run = [&](uint64_t thread) {
    uint64_t random = thread + 1;
    for (uint64_t i = 0; i < kEvents; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const uint64_t id = random >> 58;
      const int state = states[id].exchange(2);
      if (state == 0) {
        stowage_recorder_on_alloc(recorder, id, 1 + (random >> 40) % 1000, 0,
                                  0);
        ++counts[thread];
      }
      if (state == 1) stowage_recorder_on_free(recorder, id);
      // The state does not change if the other thread holds the id.
      if (state != 2) states[id].store(1 - state);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  EXPECT_EQ(stowage_recorder_close(recorder), 0);
  EXPECT_EQ(Info().allocations, counts[0] + counts[1]);
  EXPECT_EQ(Info().lost_events, 0U);
  const std::string note = Read().note;
  EXPECT_THAT(note, Not(HasSubstr("frees of blocks")));
  EXPECT_THAT(note, Not(HasSubstr("still live")));
}

stowage_recorder* interrupted_recorder = nullptr;
std::atomic<uint64_t> interruptions{0};

void RecordInHandler(int /*signal*/) {
  stowage_recorder_on_alloc(interrupted_recorder,
                            (uint64_t{1} << 32) + ++interruptions, 1, 0, 0);
}

TEST_F(RecorderTest, SignalHandlersMayRecord) {
  interruptions = 0;
  interrupted_recorder = stowage_recorder_open(Path("log").c_str());
  ASSERT_NE(interrupted_recorder, nullptr);
  struct sigaction action = {};
  action.sa_handler = RecordInHandler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often = {{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &often, nullptr);
  uint64_t count = 0;
  for (; interruptions < 200; ++count) {
    stowage_recorder_on_alloc(interrupted_recorder, count, 1, 0, 0);
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  EXPECT_EQ(stowage_recorder_close(interrupted_recorder), 0);
  EXPECT_EQ(Info().allocations, count + interruptions);
  EXPECT_EQ(Info().live_blocks, count + interruptions);
}

}  // namespace
}  // namespace stowage
