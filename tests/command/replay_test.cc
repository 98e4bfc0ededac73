// SPDX-License-Identifier: Apache-2.0
// Records programs of the system, plans their allocations, and runs the
// programs with all allocations in one planned arena. The output of the
// programs must not change. A plan made from a wrong recording must fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

struct ReplayedProgram {
  const char* name;
  // A shell command that succeeds iff the program is installed.
  const char* installed;
  // A line that runs once, before the program. May be empty.
  const char* setup;
  const char* line;
};

class RoundTripTest : public testing::TestWithParam<ReplayedProgram> {
 protected:
  void SetUp() override {
    if (folder_.Run(GetParam().installed).exit_code != 0) {
      GTEST_SKIP() << "it is not installed: " << GetParam().installed;
    }
    const CommandResult setup = Run(absl::StrCat(
        "seq 1 2500 | awk '{ print $1 * 7919 % 10007 }' > numbers; ",
        GetParam().setup));
    ASSERT_EQ(setup.exit_code, 0) << setup.err;
    plain_ = Run(GetParam().line);
    ASSERT_EQ(plain_.exit_code, 0) << plain_.err;
    const CommandResult recorded =
        Run(absl::StrCat("stowage record -o logs -- ", GetParam().line));
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, plain_.out);
  }

  // Runs a line of shell. Fixes the seed of Python's hashes, because otherwise
  // the allocations of Python would be random.
  CommandResult Run(const std::string& line) const {
    return folder_.Run(absl::StrCat("export PYTHONHASHSEED=0; ", line));
  }

  // Plans a trace and runs the program under the plan.
  CommandResult Replay(const std::string& trace, const std::string& option) {
    const CommandResult planned = Run(absl::StrCat(
        "stowage plan ", trace, " --strategy greedy_by_size -o plan.csv"));
    EXPECT_EQ(planned.exit_code, 0) << planned.err;
    return Run(absl::StrCat("stowage replay ", option, " plan.csv -- ",
                            GetParam().line));
  }

  CommandFolder folder_;
  CommandResult plain_;
};

TEST_P(RoundTripTest, HasTheSameOutputFromOneArena) {
  for (const std::string option : {"", "--poison"}) {
    SCOPED_TRACE(option);
    const CommandResult replayed = Replay("logs/*", option);
    EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
    EXPECT_EQ(replayed.out, plain_.out);
    EXPECT_THAT(replayed.err,
                MatchesRegex("(.|\n)*: ran to its end from one arena of [0-9]+ "
                             "bytes: [0-9]+ allocations of [0-9]+ bytes; exit "
                             "code 0\n"));
  }
}

TEST_P(RoundTripTest, FailsIfEveryLifetimeIsAThirdTooShort) {
  const CommandResult cut =
      Run("stowage trace logs/* -o trace.csv && awk -F , -v OFS=, 'NR > 1 { "
          "n = int(($3 - $2) * 2 / 3); $3 = $2 + (n < 1 ? 1 : n) "
          "} 1' trace.csv > cut.csv");
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  const CommandResult replayed = Replay("cut.csv", "");
  EXPECT_EQ(replayed.exit_code, 1);
  EXPECT_NE(replayed.out, plain_.out);
  EXPECT_THAT(replayed.err, HasSubstr("diverges at allocation "));
  EXPECT_THAT(replayed.err, HasSubstr(", which is still live"));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, RoundTripTest,
    testing::Values(
        ReplayedProgram{"Awk", "command -v awk", "",
                        "awk 'BEGIN { for (i = 0; i < 3000; ++i) t[i] = i * i; "
                        "for (i in t) s += t[i]; print s }'"},
        ReplayedProgram{"Sort", "command -v sort", "", "sort -n numbers"},
        ReplayedProgram{"Sed", "command -v sed", "", "sed s/1/one/ numbers"},
        ReplayedProgram{"Bc", "command -v bc", "echo '2^2000' > power",
                        "bc -q power"},
        ReplayedProgram{"Xz", "command -v xz", "", "xz -1 -T1 -c numbers"},
        ReplayedProgram{"Python", "test -x /usr/bin/python3", "",
                        "/usr/bin/python3 -S -E -c 'import json; "
                        "print(json.dumps(json.loads(json.dumps({str(i): [i] * "
                        "5 for i in range(200)}))))'"},
        ReplayedProgram{"Cc1", "test -x \"$(gcc -print-prog-name=cc1)\"",
                        "printf '#include <stdio.h>\\n#include <stdlib.h>\\n"
                        "int twice(int n) { return 2 * n; }\\n' > twice.c && "
                        "gcc -E twice.c -o twice.i && "
                        "ln -s \"$(gcc -print-prog-name=cc1)\" cc1",
                        "./cc1 -quiet -O1 twice.i -o -"}),
    [](const auto& test) { return std::string(test.param.name); });

// Provides a plan of `sort`, with which the tests run other programs.
class OtherProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("numbers", "3\n1\n2\n");
    const CommandResult planned = folder_.Run(
        "stowage record -o logs -- sort numbers && "
        "stowage plan logs/* --strategy greedy_by_size -o plan.csv");
    ASSERT_EQ(planned.exit_code, 0) << planned.err;
  }

  CommandFolder folder_;
};

// The recorder sets variables in the environment of the program. In their
// place, the replay sets variables of the same size.
TEST(ReplayTest, ProgramsSeeAnEnvironmentOfTheSameSize) {
  const CommandFolder folder;
  const std::string line =
      "awk 'BEGIN { for (k in ENVIRON) n += length(k ENVIRON[k]); print n }'";
  const CommandResult recorded =
      folder.Run(absl::StrCat("stowage record -o logs -- ", line));
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const CommandResult replayed = folder.Run(absl::StrCat(
      "stowage plan logs/* --strategy greedy_by_size -o plan.csv > summary && "
      "stowage replay plan.csv -- ",
      line));
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_EQ(replayed.out, recorded.out);
}

TEST_F(OtherProgramTest, IsStoppedByName) {
  const CommandResult result =
      folder_.Run("stowage replay plan.csv -- sed s/1/one/ numbers");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(
      result.err,
      MatchesRegex("plan.csv: /.*sed diverges at allocation 0: it asks "
                   "for [0-9]+ bytes, and the plan .*; the plan belongs "
                   "to another image\n"));
}

TEST_F(OtherProgramTest, IsWhatStartsTheRecordedOne) {
  const CommandResult result =
      folder_.Run("stowage replay plan.csv -- nice sort numbers");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("nice diverges at allocation "));
}

TEST_F(OtherProgramTest, IsTheSameWithAnotherInput) {
  const CommandResult result =
      folder_.Run("stowage replay plan.csv -- sort -n -k 1,1 numbers");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("sort diverges at allocation "));
}

struct ReplayMisuseCase {
  const char* name;
  const char* plan;
  const char* arguments;
  int exit_code;
  const char* error;
};

class ReplayMisuseTest : public testing::TestWithParam<ReplayMisuseCase> {};

TEST_P(ReplayMisuseTest, IsRefused) {
  const CommandFolder folder;
  folder.Write("plan.csv", GetParam().plan);
  const CommandResult result =
      folder.Run(absl::StrCat("stowage replay ", GetParam().arguments));
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(GetParam().error));
}

constexpr char kHeader[] = "id,lower,upper,size,offset\n";

INSTANTIATE_TEST_SUITE_P(
    Cases, ReplayMisuseTest,
    testing::Values(
        ReplayMisuseCase{"NoProgram", kHeader, "plan.csv", 2,
                         "no program; expected -- and a program"},
        ReplayMisuseCase{"NoMark", kHeader, "plan.csv sort", 2,
                         "no program; expected -- and a program"},
        ReplayMisuseCase{"StandardInput", kHeader, "- -- sort", 2,
                         "is standard input"},
        ReplayMisuseCase{"NoFile", "", "none.csv -- sort", 3, "none.csv"},
        ReplayMisuseCase{"NoPlan", "id,lower,upper,size\n0,0,1,16\n",
                         "plan.csv -- sort", 3, "plan.csv: no plan"},
        ReplayMisuseCase{"Objects", "id,lower,upper,size,object\n0,0,1,16,0\n",
                         "plan.csv -- sort", 3, "no plan of offsets"},
        ReplayMisuseCase{"NoNumber", "id,lower,upper,size,offset\na,0,1,16,0\n",
                         "plan.csv -- sort", 3, "id 'a' is not a number"},
        ReplayMisuseCase{"Unsafe",
                         "id,lower,upper,size,offset\n0,0,2,16,0\n1,1,3,16,0\n",
                         "plan.csv -- sort", 1, "plan.csv: unsafe: "},
        ReplayMisuseCase{"OffsetOfNoMalloc",
                         "id,lower,upper,size,offset\n0,0,1,16,8\n",
                         "plan.csv -- sort", 1, "--alignment 16"},
        ReplayMisuseCase{"NoSuchProgram",
                         "id,lower,upper,size,offset\n0,0,1,16,0\n",
                         "plan.csv -- ./none", 3, "./none: not found"},
        // The parser of options would otherwise treat this argument as a list.
        ReplayMisuseCase{"ListAsProgram",
                         "id,lower,upper,size,offset\n0,0,1,16,0\n",
                         "plan.csv -- '[./a,b]'", 3, "[./a,b]: not found"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace stowage::cli
