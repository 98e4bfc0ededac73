// SPDX-License-Identifier: Apache-2.0
// Tests that no allocation of a program is lost or invented. The tested
// programs are programs of the system and programs/subject.c. A recording must
// agree with the reports of glibc and valgrind on the same program.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/recordings/record_program.h"
#include "stowage/recordings/recording.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kSubject[] = STOWAGE_RECORDER_SUBJECT;

// The numbers that one observer of a program counted.
struct Totals {
  uint64_t allocations = 0;
  uint64_t peak_bytes = 0;

  bool operator==(const Totals& other) const {
    return allocations == other.allocations && peak_bytes == other.peak_bytes;
  }
};

std::ostream& operator<<(std::ostream& out, const Totals& totals) {
  return out << totals.allocations << " allocations, " << totals.peak_bytes
             << " bytes at the peak";
}

Totals TotalsOf(const LogInfo& info) {
  return {info.allocations, info.peak_bytes};
}

// Counts the allocations in a log of mtrace. Lines have forms such as "@ PLACE
// + ADDRESS SIZE", where PLACE may contain spaces (source: malloc/mtrace-impl.c
// of glibc).
Totals CountInMtrace(const std::string& path) {
  Totals totals;
  std::map<std::string, uint64_t> live;
  uint64_t bytes = 0;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> words = absl::StrSplit(line, ' ');
    size_t at = words.size();
    while (at > 0 && (words[at - 1].size() != 1 ||
                      !absl::StrContains("+-<>!", words[at - 1]))) {
      --at;
    }
    if (at == 0 || at == words.size()) continue;
    const std::string& kind = words[at - 1];
    if (kind == "-" || kind == "<") {
      bytes -= live[words[at]];
      live.erase(words[at]);
    } else if (kind == "+" || kind == ">") {
      const uint64_t size = std::strtoull(words[at + 1].c_str(), nullptr, 16);
      ++totals.allocations;
      live[words[at]] = size;
      bytes += size;
      totals.peak_bytes = std::max(totals.peak_bytes, bytes);
    }
  }
  return totals;
}

// Returns the numbers in a line of valgrind's output, such as "Total: 1,024
// bytes in 3 blocks".
std::vector<uint64_t> NumbersIn(const std::string& text) {
  std::vector<uint64_t> numbers;
  const std::string plain = absl::StrReplaceAll(text, {{",", ""}});
  for (const absl::string_view word : absl::StrSplit(plain, ' ')) {
    uint64_t number = 0;
    if (absl::SimpleAtoi(word, &number)) numbers.push_back(number);
  }
  return numbers;
}

class PreloadTest : public TempFolderTest {
 protected:
  // Runs and records a program, and discards its output.
  RecordedProgram Record(const std::vector<std::string>& command) const {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const StreamReplaced output(STDOUT_FILENO, nowhere);
    close(nowhere);
    auto program = RecordProgram(command, Path("logs"), STOWAGE_RECORD_LIBRARY);
    EXPECT_TRUE(program.ok()) << program.status();
    return program.ok() ? *program : RecordedProgram();
  }

  // Returns the images of the program `name`, in the order in which they were
  // started.
  static std::vector<LogInfo> ImagesOf(const RecordedProgram& program,
                                       absl::string_view name) {
    std::vector<LogInfo> images;
    for (const RecordedImage& image : program.images) {
      const size_t slash = image.info.program.rfind('/');
      if (image.info.program.substr(slash + 1) == name) {
        images.push_back(image.info);
      }
    }
    return images;
  }

  static std::string Quoted(const std::vector<std::string>& command) {
    return absl::StrJoin(command, " ", [](std::string* out, const auto& word) {
      absl::StrAppend(out, "'", absl::StrReplaceAll(word, {{"'", "'\\''"}}),
                      "'");
    });
  }

  // Runs a program under glibc's mtrace.
  Totals RunMtrace(const std::vector<std::string>& command) const {
    const std::string line = absl::StrCat(
        "env 'MALLOC_TRACE=", Path("mtrace"),
        "' 'LD_PRELOAD=libc_malloc_debug.so.0:" STOWAGE_BEGIN_MTRACE "' ",
        Quoted(command), " > /dev/null 2>&1");
    EXPECT_NE(std::system(line.c_str()), -1);
    return CountInMtrace(Path("mtrace"));
  }

  // Runs a program under valgrind's DHAT.
  Totals RunDhat(const std::vector<std::string>& command) const {
    const std::string line = absl::StrCat(
        STOWAGE_VALGRIND, " --tool=dhat --dhat-out-file=/dev/null --log-file='",
        Path("dhat"), "' ", Quoted(command), " > /dev/null 2>&1");
    EXPECT_NE(std::system(line.c_str()), -1);
    Totals totals;
    std::ifstream file(Path("dhat"));
    for (std::string text; std::getline(file, text);) {
      const std::vector<uint64_t> numbers = NumbersIn(text);
      if (numbers.size() != 2) continue;
      if (absl::StrContains(text, "Total:")) totals.allocations = numbers[1];
      if (absl::StrContains(text, "At t-gmax:")) totals.peak_bytes = numbers[0];
    }
    return totals;
  }

  // Expects that no log of the program lost events or contains irregular
  // events.
  static void ExpectRegular(const RecordedProgram& program) {
    for (const RecordedImage& image : program.images) {
      EXPECT_EQ(image.info.lost_events, 0U) << image.path;
      const auto recording = ReadRecording(image.path);
      ASSERT_TRUE(recording.ok()) << recording.status();
      const std::string& note = recording->parts[0].file.note;
      EXPECT_THAT(note, Not(HasSubstr("frees of blocks"))) << image.path;
      EXPECT_THAT(note, Not(HasSubstr("still live"))) << image.path;
    }
  }
};

struct OracleCase {
  const char* name;
  std::vector<std::string> command;
};

class OracleTest : public PreloadTest,
                   public testing::WithParamInterface<OracleCase> {};

TEST_P(OracleTest, AgreesWithGlibcAndValgrind) {
  std::vector<std::string> command = GetParam().command;
  std::string numbers;
  for (int i = 0; i < 5000; ++i)
    absl::StrAppend(&numbers, i * 7919 % 5000, "\n");
  if (command.back() == "NUMBERS") command.back() = Write("numbers", numbers);
  const RecordedProgram program = Record(command);
  ASSERT_EQ(program.images.size(), 1U);
  const Totals recorded = TotalsOf(program.images[0].info);
  EXPECT_GT(recorded.allocations, 0U);
  EXPECT_EQ(recorded, RunMtrace(command)) << "mtrace";
  ExpectRegular(program);
  if (sizeof(STOWAGE_VALGRIND) == 1) GTEST_SKIP() << "no valgrind is installed";
  EXPECT_EQ(recorded, RunDhat(command)) << "DHAT";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, OracleTest,
    testing::Values(
        OracleCase{"Awk",
                   {"awk",
                    "BEGIN { for (i = 0; i < 3000; ++i) t[i] = i \"x\"; "
                    "for (k in t) ++n; print n }"}},
        OracleCase{"Sort", {"sort", "-n", "NUMBERS"}},
        OracleCase{"Subject", {kSubject, "fail"}}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(PreloadTest, EveryFunctionIsRecorded) {
  const RecordedProgram program = Record({kSubject, "all"});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_EQ(program.images[0].info.allocations, 10U);
  const auto recording = ReadRecording(program.images[0].path);
  ASSERT_TRUE(recording.ok()) << recording.status();
  const ProblemSpec& problem = recording->parts[0].file.problem;
  std::vector<size_t> sizes;
  for (const auto& record : problem.records) {
    sizes.push_back(record.tensor_size);
  }
  EXPECT_THAT(sizes, testing::ElementsAre(100, 200, 5000, 300, 128, 512, 10, 30,
                                          4096, 70));
  EXPECT_THAT(problem.alignments, testing::ElementsAre(16, 16, 16, 16, 64, 256,
                                                       4096, 4096, 4096, 16));
  ExpectRegular(program);
}

TEST_F(PreloadTest, ABlockThatCannotGrowStaysLive) {
  const RecordedProgram program = Record({kSubject, "fail"});
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_EQ(program.images[0].info.allocations, 3U);
  EXPECT_EQ(program.images[0].info.peak_bytes, 150U);
  EXPECT_EQ(program.images[0].info.live_blocks, 1U);
  ExpectRegular(program);
}

TEST_F(PreloadTest, KilledProgramsLoseNothing) {
  const RecordedProgram program = Record({kSubject, "killed"});
  EXPECT_EQ(program.signal, SIGKILL);
  EXPECT_EQ(program.exit_code, 128 + SIGKILL);
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_EQ(program.images[0].info.allocations, 50'000U);
  ExpectRegular(program);
}

TEST_F(PreloadTest, ProgramsThatCloseAllFilesLoseNothing) {
  const RecordedProgram program = Record({kSubject, "close"});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_EQ(program.images[0].info.allocations, 50'000U);
  ExpectRegular(program);
}

TEST_F(PreloadTest, ALogGrowsAgainWhenDescriptorsAreFree) {
  const RecordedProgram program = Record({kSubject, "descriptors"});
  ASSERT_EQ(program.images.size(), 1U);
  const LogInfo& info = program.images[0].info;
  EXPECT_GT(info.lost_events, 0U);
  EXPECT_EQ(info.allocations + info.lost_events, 50001U);
  // All events that required no new descriptor are recorded.
  EXPECT_GE(info.allocations, 31001U);
}

TEST_F(PreloadTest, ForkedChildrenHaveLogsOfTheirOwn) {
  const RecordedProgram program = Record({kSubject, "fork"});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 2U);
  const LogInfo& parent = program.images[0].info;
  const LogInfo& child = program.images[1].info;
  EXPECT_EQ(parent.allocations, 1001U);
  EXPECT_EQ(parent.live_blocks, 1001U);
  EXPECT_FALSE(parent.is_forked);
  EXPECT_EQ(child.allocations, 2001U);
  EXPECT_TRUE(child.is_forked);
  EXPECT_EQ(child.parent, parent.process);
  ExpectRegular(program);
}

TEST_F(PreloadTest, HandlersMayForkWhereverTheyInterrupt) {
  const RecordedProgram program = Record({kSubject, "handlers"});
  EXPECT_EQ(program.exit_code, 0);
  EXPECT_EQ(program.unreadable, "");
  EXPECT_GT(program.images.size(), 10U);
  for (const RecordedImage& image : program.images) {
    EXPECT_EQ(image.info.lost_events, 0U) << image.path;
    const uint64_t least = image.info.is_forked ? 10 : 0;
    EXPECT_GE(image.info.allocations, least) << image.path;
  }
}

TEST_F(PreloadTest, ALogThatCannotBeReadDoesNotHideTheOthers) {
  const RecordedProgram program = Record(
      {"sh", "-c",
       absl::StrCat("> ", Path("logs/killed.1.0.stowlog"), "; echo no > ",
                    Path("logs/text.2.0.stowlog"), "; exec true")});
  EXPECT_EQ(program.images.size(), 2U);
  EXPECT_THAT(program.unreadable, HasSubstr("text.2.0.stowlog: is not a log"));
  EXPECT_THAT(program.unreadable, Not(HasSubstr("killed")));
}

TEST_F(PreloadTest, ExecInOneProcessMakesTwoLogs) {
  const RecordedProgram program = Record({kSubject, "exec", kSubject});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 2U);
  EXPECT_EQ(program.images[0].info.allocations, 10U);
  EXPECT_EQ(program.images[1].info.allocations, 1000U);
  EXPECT_EQ(program.images[0].info.process, program.images[1].info.process);
  ExpectRegular(program);
}

TEST_F(PreloadTest, TheChildOfAVforkIsRecorded) {
  const RecordedProgram program = Record({kSubject, "vfork", kSubject});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 2U);
  EXPECT_EQ(program.images[0].info.allocations, 20U);
  EXPECT_EQ(program.images[1].info.allocations, 1000U);
  EXPECT_EQ(program.images[1].info.parent, program.images[0].info.process);
  ExpectRegular(program);
}

TEST_F(PreloadTest, ShellsAreRecordedWithoutAnEnvironment) {
  const RecordedProgram program =
      Record({kSubject, "shells",
              absl::StrCat("exec '", kSubject, "' many \"$0\" ''")});
  EXPECT_EQ(program.exit_code, 0);
  const std::vector<LogInfo> images = ImagesOf(program, "recorder_subject");
  ASSERT_EQ(images.size(), 3U);
  for (size_t i = 1; i < images.size(); ++i) {
    EXPECT_EQ(images[i].allocations, 1000U);
    EXPECT_EQ(images[i].arguments,
              (std::vector<std::string>{kSubject, "many", "sh", ""}));
  }
  ExpectRegular(program);
}

TEST_F(PreloadTest, LateFreesAreRecorded) {
  const RecordedProgram program = Record({kSubject, "late"});
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_EQ(program.images[0].info.allocations, 1U);
  EXPECT_EQ(program.images[0].info.live_blocks, 0U);
}

// Two threads free and grow blocks of each other.
TEST_F(PreloadTest, ThreadsAreMergedInOrder) {
  const RecordedProgram program = Record({kSubject, "threads"});
  EXPECT_EQ(program.exit_code, 0);
  ASSERT_EQ(program.images.size(), 1U);
  EXPECT_GT(program.images[0].info.allocations, 700'000U);
  ExpectRegular(program);
}

TEST_F(PreloadTest, ProgramsThatRunHaveLostNothingYet) {
  const RecordedProgram program = Record({kSubject, "leave"});
  ASSERT_EQ(program.images.size(), 2U) << program.unreadable;
  const LogInfo& child = program.images[1].info;
  EXPECT_GE(child.allocations, 1000U);
  EXPECT_EQ(child.lost_events, 0U);
  EXPECT_EQ(program.unreadable, "");
}

TEST_F(PreloadTest, AShellLosesNothing) {
  const std::string numbers = Write("numbers", "3\n1\n2\n");
  const RecordedProgram program =
      Record({"sh", "-c",
              absl::StrCat("sort ", numbers, " | awk '{ print }' > ",
                           Path("out"), "; exec ", kSubject, " many")});
  EXPECT_EQ(program.exit_code, 0);
  EXPECT_EQ(Read("out"), "1\n2\n3\n");
  const std::vector<LogInfo> sort = ImagesOf(program, "sort");
  ASSERT_EQ(sort.size(), 1U);
  EXPECT_EQ(TotalsOf(sort[0]), RunMtrace({"sort", numbers}));
  const std::vector<LogInfo> last = ImagesOf(program, "recorder_subject");
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].allocations, 1000U);
  // The shell and the last program ran in the same process but have separate
  // logs.
  EXPECT_EQ(program.images[0].info.process, last[0].process);
  EXPECT_GT(program.images[0].info.allocations, 0U);
  ExpectRegular(program);
}

TEST_F(PreloadTest, TheCompilerProperIsFoundBehindItsDriver) {
  if (std::system("gcc --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no gcc is installed";
  }
  // The source is small because mtrace takes a tenth of a millisecond for each
  // line.
  const std::string file = Write("small.c", "int f(int n) { return n * 3; }\n");
  const RecordedProgram program =
      Record({"gcc", "-O2", "-c", file, "-o", Path("small.o")});
  ASSERT_EQ(program.exit_code, 0);
  const std::vector<LogInfo> compiler = ImagesOf(program, "cc1");
  ASSERT_EQ(compiler.size(), 1U);
  std::vector<std::string> command = compiler[0].arguments;
  command[0] = compiler[0].program;
  const Totals mtrace = RunMtrace(command);
  EXPECT_GT(mtrace.allocations, 1000U);
  EXPECT_GE(static_cast<double>(compiler[0].allocations),
            0.999 * static_cast<double>(mtrace.allocations));
  EXPECT_LE(static_cast<double>(compiler[0].allocations),
            1.001 * static_cast<double>(mtrace.allocations));
  ExpectRegular(program);
}

TEST_F(PreloadTest, FilesInTheFolderStayAsTheyAre) {
  const RecordedProgram first = Record({kSubject, "many"});
  const RecordedProgram second = Record({kSubject, "seven"});
  EXPECT_EQ(second.exit_code, 7);
  ASSERT_EQ(second.images.size(), 1U);
  EXPECT_EQ(second.images[0].info.allocations, 0U);
  EXPECT_EQ(second.note, "the program itself has allocated nothing");
  const auto info = ReadLogInfo(first.images[0].path);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->allocations, 1000U);
}

TEST_F(PreloadTest, ProgramsThatCannotBeRecordedAreNamed) {
  const auto missing =
      RecordProgram({Path("none")}, Path("logs"), STOWAGE_RECORD_LIBRARY);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  const auto is_static =
      RecordProgram({STOWAGE_RECORDER_STATIC_SUBJECT, "many"}, Path("logs"),
                    STOWAGE_RECORD_LIBRARY);
  EXPECT_THAT(is_static.status().message(),
              HasSubstr("static_subject is linked statically"));
  const RecordedProgram own = Record({STOWAGE_RECORDER_OWN_MALLOC});
  EXPECT_EQ(own.exit_code, 0);
  EXPECT_THAT(own.note, HasSubstr("own_malloc has an allocator of its own"));
  EXPECT_EQ(WhyNotRecorded(kSubject), "");
  EXPECT_EQ(WhyNotRecorded("no such program"), "");
  const std::string script = Write(
      "script", absl::StrCat("#!", STOWAGE_RECORDER_STATIC_SUBJECT, " many\n"));
  EXPECT_THAT(WhyNotRecorded(script), HasSubstr("is linked statically"));
}

}  // namespace
}  // namespace stowage
