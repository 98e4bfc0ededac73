// SPDX-License-Identifier: Apache-2.0
// Tests that the command handles the failure of any system call: it reports the
// failure, exits with the documented exit code, and leaves every file either
// unchanged or complete.
#include "tests/faults/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/testing/command_words.h"
#include "tests/faults/sweep.h"

namespace stowage::faults {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

using Files = std::map<std::string, std::string>;

// Each line names the file or the command, and then describes the problem.
constexpr char kNamesItsCause[] = "([^:\n]+: [^\n]+\n)+";

constexpr int kBadInput = 3;
constexpr int kOutOfMemory = 5;

// A command, and the calls that it is known to make.
struct Command {
  const char* name;
  const char* arguments;
  std::vector<Call> calls;
  int exit_code = 0;
};

std::string Shipped(const std::string& path) {
  std::ifstream file(absl::StrCat(STOWAGE_SOURCE_DIR, "/", path));
  EXPECT_TRUE(file) << path;
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

// kSmall is a trace of three tensors. kSafe is a safe plan of this trace with
// the offsets {0, 2, 0}, and kUnsafe is an unsafe plan.
constexpr char kSmall[] = "id,lower,upper,size\na,0,2,2\nb,1,4,3\nc,2,4,1\n";
constexpr char kSafe[] =
    "id,lower,upper,size,offset\na,0,2,2,0\nb,1,4,3,2\nc,2,4,1,0\n";
constexpr char kUnsafe[] =
    "id,lower,upper,size,offset\na,0,2,2,0\nb,1,4,3,1\nc,2,4,1,0\n";

// Returns a trace for which a search with several threads needs more than one
// round.
std::string HardTrace() {
  std::string csv = "id,lower,upper,size\n";
  uint64_t state = 1;
  const auto draw = [&state](uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
  };
  for (int i = 0; i < 60; ++i) {
    const uint64_t lower = draw(40);
    absl::StrAppend(&csv, i, ",", lower, ",", lower + 1 + draw(20), ",",
                    1 + draw(1000), "\n");
  }
  return csv;
}

// Returns the text without times, which differ from run to run.
std::string Masked(absl::string_view text) {
  std::string masked;
  while (!text.empty()) {
    const size_t found = text.find("micros\":");
    const size_t end = text.find_first_of(",}\n", found);
    absl::StrAppend(&masked, text.substr(0, found));
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end);
  }
  return masked;
}

Files Masked(Files files) {
  for (auto& [name, content] : files) content = Masked(content);
  return files;
}

class FaultsTest : public SweepTest,
                   public testing::WithParamInterface<Command> {
 protected:
  // Returns the initial files in the folder of every run: two dumps and some
  // others.
  Files Before() const {
    Files files = {{"in/unet.csv", Shipped("data/traces/unet.csv")},
                   {"in/small.csv", kSmall},
                   {"small.csv", kSmall},
                   {"safe.csv", kSafe},
                   {"unsafe.csv", kUnsafe},
                   {"hard.csv", HardTrace()},
                   {"old", "an old file\n"},
                   {"model", Shipped("data/models/residual_int8.tflite")}};
    for (const char* dump : {"one", "two"}) {
      const Ending ran = Run({"run", "model", "--dump", dump}, files, Fault());
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      files = ran.files;
    }
    return files;
  }

  // Runs the command without failures, and counts its calls.
  Ending Whole(const std::vector<std::string>& arguments, const Files& before,
               Call call) const {
    Ending ending = Run(arguments, before, {call, 0, false});
    EXPECT_EQ(ending.exit_code, GetParam().exit_code) << ending.err;
    EXPECT_EQ(ending.failed, 0u);
    return ending;
  }
};

bool EndsWithManifest(absl::string_view name) {
  return absl::EndsWith(name, "/manifest.json");
}

// Returns the files to be compared after a fault. If open fails, temporary
// folders cannot be emptied, so omits the files in them.
Files Lasting(const Fault& fault, Files files) {
  for (auto file = files.begin(); file != files.end();) {
    const bool is_temporary = absl::StartsWith(file->first, "tmp/");
    file = is_temporary && fault.call == Call::kOpen ? files.erase(file)
                                                     : std::next(file);
  }
  return files;
}

void ExpectFilesOldOrNew(const Files& before, const Files& after,
                         const Files& found) {
  for (const auto& [name, content] : found) {
    const auto is_in = [&name = name, text = Masked(content)](const Files& in) {
      const auto file = in.find(name);
      return file != in.end() && Masked(file->second) == text;
    };
    EXPECT_TRUE(is_in(before) || is_in(after)) << name << ":\n" << content;
  }
  for (const auto& [name, content] : before) {
    // The manifest of a dump may be missing, because writing the dump again
    // first removes the old manifest.
    if (EndsWithManifest(name)) continue;
    EXPECT_EQ(found.count(name), 1u) << name;
  }
}

void ExpectSaidOrUnharmed(const Fault& fault, absl::string_view verb,
                          const Files& before, const Ending& whole,
                          const Ending& ending) {
  const Files found = Lasting(fault, ending.files);
  const Files wanted = Lasting(fault, whole.files);
  ExpectFilesOldOrNew(Lasting(fault, before), wanted, found);
  EXPECT_LE(ending.leaked_blocks, 0);
  EXPECT_EQ(ending.leaked_descriptors, 0);
  if (ending.exit_code == whole.exit_code) {
    EXPECT_EQ(Masked(ending.out), Masked(whole.out));
    EXPECT_EQ(Masked(found), Masked(wanted));
    return;
  }
  EXPECT_GT(ending.failed, 0u);
  const bool is_memory = fault.call == Call::kMemory;
  ASSERT_EQ(ending.exit_code, is_memory ? kOutOfMemory : kBadInput);
  EXPECT_THAT(ending.err, EndsWith("\n"));
  if (is_memory) {
    EXPECT_THAT(ending.err, HasSubstr("memory"));
  } else {
    EXPECT_THAT(ending.err, MatchesRegex(kNamesItsCause));
  }
  // A comparison continues without the input that has failed.
  const bool may_be_cut = fault.call == Call::kWrite || verb == "compare";
  if (!may_be_cut && !ending.out.empty()) {
    // The output may be followed by text that could not be written to a file.
    EXPECT_THAT(Masked(ending.out), StartsWith(Masked(whole.out)));
  }
}

TEST_P(FaultsTest, AreReportedAndDoNoHarm) {
  const std::vector<std::string> arguments =
      *program::SplitCommand(GetParam().arguments);
  const Files before = Before();
  WarmUp(arguments, before);
  for (const Call call : GetParam().calls) {
    const Ending whole = Whole(arguments, before, call);
    EXPECT_GT(whole.calls, 0u) << static_cast<int>(call);
    for (const uint64_t number : Sweep(whole.calls)) {
      for (const bool lasting : {false, true}) {
        const Fault fault = {call, number, lasting};
        const Ending ending = Run(arguments, before, fault);
        ExpectSaidOrUnharmed(fault, arguments[0], before, whole, ending);
        if (HasFailure()) {
          FAIL() << "stowage " << GetParam().arguments << ": call of kind "
                 << static_cast<int>(call) << ", number " << number << " of "
                 << whole.calls << (lasting ? " and all after it" : "")
                 << ", exit code " << ending.exit_code << "\n"
                 << ending.err;
        }
      }
    }
  }
}

constexpr Call kMemory = Call::kMemory;
constexpr Call kThread = Call::kThread;
constexpr Call kMap = Call::kMap;
constexpr Call kOpen = Call::kOpen;
constexpr Call kStat = Call::kStat;
constexpr Call kRead = Call::kRead;
constexpr Call kWrite = Call::kWrite;
constexpr Call kShortWrite = Call::kShortWrite;
constexpr Call kSync = Call::kSync;
constexpr Call kClose = Call::kClose;
constexpr Call kRename = Call::kRename;
constexpr Call kRemove = Call::kRemove;
constexpr Call kProcess = Call::kProcess;

INSTANTIATE_TEST_SUITE_P(
    All, FaultsTest,
    testing::ValuesIn(std::vector<Command>{
        {"List", "list", {kMemory, kThread, kWrite, kShortWrite}},
        {"Help", "plan --help", {kMemory, kWrite, kShortWrite}},
        {"Misuse", "plan small.csv --strategy none", {kMemory}, 2},
        {"Plan",
         "plan small.csv --strategy greedy_best --format json",
         {kMemory, kOpen, kStat, kRead, kWrite, kShortWrite, kClose}},
        {"PlanFile",
         "plan in/unet.csv --strategy mincostflow -o old --format json",
         {kMemory, kThread, kOpen, kStat, kRead, kWrite, kShortWrite, kSync,
          kClose, kRename}},
        {"Search",
         "plan hard.csv --strategy optimal --nodes 20000 --threads 3 "
         "--certificate proof --format json -o new",
         {kMemory, kThread, kOpen, kWrite, kSync, kClose, kRename}},
        {"Compare",
         "compare in --strategies "
         "naive,equality,greedy_in_order,greedy_by_breadth,greedy_by_size,"
         "mincostflow --kind both --format json",
         {kMemory, kThread, kOpen, kStat, kRead, kWrite}},
        {"Verify",
         "verify small.csv safe.csv",
         {kMemory, kOpen, kStat, kRead, kWrite}},
        {"VerifyUnsafe",
         "verify small.csv unsafe.csv",
         {kMemory, kOpen, kStat, kRead, kWrite},
         1},
        {"Bounds", "bounds in/unet.csv", {kMemory, kOpen, kRead, kWrite}},
        {"Trace",
         "trace model -o old",
         {kMemory, kMap, kOpen, kStat, kRead, kWrite, kShortWrite, kSync,
          kClose, kRename}},
        {"Run",
         "run model --check --poison --dump one --format json",
         {kMemory, kMap, kOpen, kStat, kRead, kWrite, kSync, kClose, kRename,
          kRemove}},
        {"Diff", "diff one two", {kMemory, kOpen, kStat, kRead, kWrite}},
        {"CheckPlanner",
         "check-planner --traces 1 --command '" STOWAGE_TOY_PLANNER
         " offsets {in} {out}'",
         {kThread, kProcess, kStat, kClose}},
        {"CheckPlannerServe",
         "check-planner --traces 1 --serve --command '" STOWAGE_TOY_PLANNER
         " offsets'",
         {kProcess, kOpen, kStat, kWrite, kClose}},
        {"CheckPlannerWrong",
         "check-planner --traces 9 --family zero_sizes -o new "
         "--command "
         "'" STOWAGE_TOY_PLANNER " crash_on_no_bytes {in} {out}'",
         {kOpen, kRead, kWrite, kSync, kRename},
         1},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace stowage::faults
