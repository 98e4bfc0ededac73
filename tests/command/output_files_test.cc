// SPDX-License-Identifier: Apache-2.0
// Tests that the command rejects two outputs to the same file, and an output
// that would overwrite an input. It does so before it writes anything, and for
// every spelling of the paths.
#include "src/command/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct OutputCase {
  const char* name;
  const char* command;  // without `stowage `
  const char* message;
};

std::string NameOf(const testing::TestParamInfo<OutputCase>& test) {
  return test.param.name;
}

// Provides a folder that contains a trace, a model, links to both files, a
// folder with two names, and the dump of a run.
class OutputFilesTest : public testing::TestWithParam<OutputCase> {
 protected:
  void SetUp() override {
    folder_.Write("in.csv", kTwoRecords);
    folder_.Write("m.tflite",
                  ReadWholeFile(STOWAGE_SOURCE_DIR "/data/models/"
                                                   "residual_int8.tflite"));
    folder_.Write("old.csv", "old");
    const CommandResult made = folder_.Run(
        "mkdir d && ln -s d e && ln -s new.csv link.csv && "
        "ln old.csv hard.csv && ln m.tflite hard.tflite && "
        "ln -s m.tflite link.tflite && ln -s in.csv trace.csv && "
        "cp m.tflite renamed.csv && "
        "stowage run m.tflite --dump d > /dev/null");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  CommandFolder folder_;
};

class RefusedOutputTest : public OutputFilesTest {};

TEST_P(RefusedOutputTest, IsExitCode2AndChangesNothing) {
  const std::string hashes = "find . -type f | sort | xargs sha256sum";
  const std::string before = folder_.Run(hashes).out;
  const CommandResult result =
      folder_.Run(absl::StrCat("stowage ", GetParam().command));
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("stowage "));
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(folder_.Run(hashes).out, before);
}

// Arguments that check a planner which must not be started. If the planner is
// started, it creates the file `ran`.
#define CHECK_PLANNER "check-planner --command 'touch ran {in} {out}' "

constexpr char kBoth[] = "is the file of -o";
constexpr char kInput[] = "is the input";

INSTANTIATE_TEST_SUITE_P(
    TwoOutputs, RefusedOutputTest,
    testing::ValuesIn<OutputCase>({
        {"OnePath", "plan in.csv --strategy naive -o a --certificate a", kBoth},
        {"DotSlash", "plan in.csv --strategy naive -o a --certificate ./a",
         kBoth},
        {"Absolute",
         "plan in.csv --strategy naive -o a --certificate \"$PWD/a\"", kBoth},
        {"FolderLink", "plan in.csv --strategy naive -o d/a --certificate e/a",
         kBoth},
        {"DotDot", "plan in.csv --strategy naive -o a --certificate d/../a",
         kBoth},
        {"LinkToNothing",
         "plan in.csv --strategy naive -o new.csv --certificate link.csv",
         kBoth},
        {"HardLink",
         "plan in.csv --strategy naive -o old.csv --certificate hard.csv",
         kBoth},
        {"OpenFile",
         "plan in.csv --strategy naive -o old.csv "
         "--certificate /proc/self/fd/9 9<> old.csv",
         kBoth},
        {"StandardOutput",
         "plan in.csv --strategy naive -o a --certificate /dev/stdout",
         "expected the name of a file"},
        {"Junit", CHECK_PLANNER "-o a --junit ./a", kBoth},
        {"JunitThroughALink", CHECK_PLANNER "-o new.csv --junit link.csv",
         kBoth},
        {"JunitThroughAHardLink", CHECK_PLANNER "-o old.csv --junit hard.csv",
         kBoth},
        {"JunitInStandardOutput", CHECK_PLANNER "--junit /dev/stdout",
         "is the file of standard output"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Inputs, RefusedOutputTest,
    testing::ValuesIn<OutputCase>({
        {"TraceByItsPlan", "plan in.csv --strategy naive -o trace.csv", kInput},
        {"ModelByTrace", "trace m.tflite -o m.tflite", kInput},
        {"ModelByTraceThroughALink", "trace m.tflite -o link.tflite", kInput},
        {"ModelThroughALinkByTrace", "trace link.tflite -o m.tflite", kInput},
        {"ModelByTraceThroughAHardLink", "trace m.tflite -o hard.tflite",
         kInput},
        {"ModelFromStandardInput", "trace - -o ./m.tflite < m.tflite", kInput},
        {"ModelByAppending", "trace m.tflite -o - >> m.tflite", kInput},
        {"ModelByAppendingWithoutOption", "trace m.tflite >> m.tflite", kInput},
        {"ModelByPlan", "plan m.tflite --strategy naive -o d/../m.tflite",
         kInput},
        {"ModelOfAnotherNameByPlan",
         "plan renamed.csv --strategy naive -o renamed.csv", kInput},
        {"ModelByCertificate",
         "plan m.tflite --strategy naive --certificate m.tflite", kInput},
        {"TraceWithoutColumnsThatAreIgnored",
         "plan in.csv --strategy naive --ignore-unknown-columns -o trace.csv",
         kInput},
        {"TraceByCertificate",
         "plan in.csv --strategy naive --certificate trace.csv", kInput},
        {"TraceByAppending", "plan in.csv --strategy naive -o - >> in.csv",
         kInput},
        {"ReplayedTraceByTrace", CHECK_PLANNER "--replay in.csv -o trace.csv",
         kInput},
        {"ReplayedTraceByJunit",
         CHECK_PLANNER "--replay in.csv --junit d/../in.csv", kInput},
        {"ReplayedTraceByAppending", CHECK_PLANNER "--replay in.csv >> in.csv",
         kInput},
        {"InputByDump", "run m.tflite --input 0=e/inv0_input0.bin --dump d",
         kInput},
    }),
    NameOf);

class AllowedOutputTest : public OutputFilesTest {};

TEST_P(AllowedOutputTest, IsWritten) {
  const CommandResult result =
      folder_.Run(absl::StrCat("stowage ", GetParam().command));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, AllowedOutputTest,
    testing::ValuesIn<OutputCase>({
        {"TwoFiles", "plan in.csv --strategy naive -o a --certificate b", ""},
        {"OneNameInTwoFolders",
         "plan in.csv --strategy naive -o a --certificate d/a", ""},
        {"NullDevice",
         "plan in.csv --strategy naive -o /dev/null --certificate /dev/null",
         ""},
        {"DumpAgain", "run m.tflite --dump d", ""},
        {"DumpBesideItsModel", "run m.tflite --dump .", ""},
        // The plan goes to standard output, so the summary must not. `-o -`
        // behaves in the same way.
        {"StandardOutput", "plan in.csv --strategy naive -o /dev/stdout | cat",
         "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,8,4\n"},
        {"FileOfStandardOutput",
         "plan in.csv --strategy naive -o a > a 2> /dev/null; cat a",
         "id,lower,upper,size,offset\na,0,2,4,0\nb,1,3,8,4\n"},
    }),
    NameOf);

}  // namespace
}  // namespace stowage::cli
