// SPDX-License-Identifier: Apache-2.0
// Tests that output for people fits the terminal. Runs every verb on the
// shipped data and reads the help of each verb.
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/views/plain_text.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

constexpr size_t kWidths[] = {60, 80, 132};

struct WidthCase {
  // The arguments of the command. DATA is replaced by the folder of the shipped
  // data, and MODELS by the folder of the models for these tests.
  const char* command;
  int exit_code = 0;
};

const WidthCase kCases[] = {
    {"--help"},
    {"list"},
    {"list --delegates"},
    {"plan DATA/traces/unet_plus_plus.csv --strategy skyline"},
    {"plan DATA/models/keyword_int8.tflite --strategy optimal --nodes 10"},
    {"plan DATA/models/residual_int8.tflite --lifetimes cpu --sharing groups "
     "--strategy skyline"},
    {"plan DATA/traces/lstm.csv --strategy skyline --pool fast:1KiB --pool "
     "slow"},
    {"plan DATA/traces/nasnet_mobile.csv --strategy optimal --capacity 1MiB",
     4},
    {"compare DATA/traces --nodes 10"},
    {"compare DATA/traces/nasnet_mobile.csv --nodes 10"},
    {"compare DATA/traces/lstm.csv --nodes 10 --pool fast:1KiB --pool slow"},
    {"bounds DATA/traces/nasnet_mobile.csv"},
    {"bounds DATA/models/keyword_int8.tflite --lifetimes micro"},
    {"explain plan.csv"},
    {"explain objects.csv"},
    {"explain DATA/traces/hrnet.csv"},
    {"explain DATA/models/residual_int8.tflite --lifetimes cpu"},
    {"explain plan.csv --replan greedy_by_size"},
    {"show plan.csv"},
    {"trace DATA/models/keyword_int8.tflite -o trace.csv"},
    {"trace DATA/models/residual_int8.tflite --sharing groups -o trace.json"},
    {"trace DATA/models/residual_int8.tflite --streams 2 -o trace.json"},
    {"arena DATA/models/keyword_int8.tflite"},
    {"arena DATA/models/residual_int8.tflite --bits 32"},
    {"arena MODELS/vela.tflite"},
    {"arena MODELS/index.tflite"},
    {"trace MODELS/vela.tflite --offline honour -o trace.csv"},
    {"run MODELS/npu.tflite --arena micro --shadow"},
    {"offline check DATA/models/keyword_int8.tflite"},
    {"offline check MODELS/vela.tflite"},
    {"offline write MODELS/vela.tflite -o vela.tflite"},
    {"offline write DATA/models/keyword_int8.tflite -o written.tflite"},
    {"offline header DATA/models/keyword_int8.tflite -o plan.h"},
    {"offline strip written.tflite -o stripped.tflite"},
    {"run DATA/models/residual_int8.tflite --check --poison --memory"},
    {"run DATA/models/residual_int8.tflite --memory --profile"},
    {"run DATA/models/residual_int8.tflite --delegate reference --memory"},
    {"run DATA/models/residual_int8.tflite --delegate reference "
     "--bisect-delegate"},
    {"run DATA/models/residual_int8.tflite --arena micro --check"},
    {"run DATA/models/residual_int8.tflite --dump first"},
    {"run DATA/models/residual_int8.tflite --seed 2 --dump second"},
    {"diff first second", 1},
    {"diff first first"},
    {"diff DATA/traces/unet.csv DATA/traces/unet_plus_plus.csv"},
    {"diff DATA/traces/unet.csv DATA/traces/unet_plus_plus.csv --strategy "
     "greedy_by_size"},
    {"check-planner --command 'stowage plan {in} --strategy skyline -o {out}' "
     "--traces 3"},
    {"check-planner --command 'stowage plan {in} --strategy skyline -o {out} "
     "--alignment 1' --kind objects --traces 3",
     1},
    {"verify DATA/traces/nasnet_mobile.csv plan.csv"},
    {"verify DATA/traces/lstm.csv lstm.csv --pool fast:1KiB --pool slow"},
    {"plan DATA/traces/lstm.csv --strategy skyline --certificate c.json"},
    {"verify DATA/traces/lstm.csv --certificate c.json"},
};

std::string CommandOf(const char* command) {
  return absl::StrReplaceAll(command, {{"DATA", STOWAGE_SOURCE_DIR "/data"},
                                       {"MODELS", STOWAGE_TEXT_MODELS}});
}

// Expects that every line fits. Does not check the commands to paste at the end
// of some reports, which may be too wide.
void ExpectFits(absl::string_view text, size_t width,
                const std::string& command) {
  text = text.substr(0, text.find("To try this trace again"));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(views::DisplayWidth(line), width)
        << "COLUMNS=" << width << " stowage " << command << "\n"
        << line;
  }
}

void WritePlans(const CommandFolder& folder) {
  for (const char* line :
       {"plan DATA/traces/nasnet_mobile.csv --strategy greedy_by_size -o "
        "plan.csv",
        "plan DATA/traces/lstm.csv --strategy greedy_by_size --kind objects -o "
        "objects.csv",
        "plan DATA/traces/lstm.csv --strategy skyline --pool fast:1KiB --pool "
        "slow -o lstm.csv"}) {
    const CommandResult result =
        folder.Run(absl::StrCat("stowage ", CommandOf(line)));
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
}

// The output of a command fits the terminal, both on standard output and on
// standard error. Error messages are the only exception: they may be longer,
// because each is a single line that programs can read.
TEST(Width, EveryVerbFitsTheTerminal) {
  const CommandFolder folder;
  WritePlans(folder);
  for (const size_t width : kWidths) {
    for (const WidthCase& c : kCases) {
      const std::string command = CommandOf(c.command);
      const CommandResult result =
          folder.Run(absl::StrCat("COLUMNS=", width, " stowage ", command));
      EXPECT_EQ(result.exit_code, c.exit_code) << command << "\n" << result.err;
      EXPECT_FALSE(result.out.empty() && result.err.empty()) << command;
      ExpectFits(result.out, width, command);
      if (result.exit_code == 0) ExpectFits(result.err, width, command);
    }
  }
}

// Returns the verbs that a help page lists below "Verbs:". A verb is a word
// after two blanks at the beginning of a line.
std::vector<std::string> VerbsIn(const std::string& help) {
  std::vector<std::string> verbs;
  static const std::regex verb("\n  ([a-z][a-z-]*)  ");
  const size_t begin = help.find("\nVerbs:");
  if (begin == std::string::npos) return verbs;
  const std::string list = help.substr(begin);
  for (std::sregex_iterator found(list.begin(), list.end(), verb), end;
       found != end; ++found) {
    verbs.push_back((*found)[1]);
  }
  return verbs;
}

TEST(Width, EveryHelpFitsTheTerminal) {
  const CommandFolder folder;
  std::vector<std::string> left = {""};
  size_t helps = 0;
  while (!left.empty()) {
    const std::string verb = left.back();
    left.pop_back();
    ++helps;
    for (const size_t width : kWidths) {
      const CommandResult result = folder.Run(
          absl::StrCat("COLUMNS=", width, " stowage", verb, " --help"));
      ASSERT_EQ(result.exit_code, 0) << verb;
      ExpectFits(result.out, width, absl::StrCat(verb, " --help"));
      if (width != 80) continue;
      for (const std::string& part : VerbsIn(result.out)) {
        left.push_back(absl::StrCat(verb, " ", part));
      }
    }
  }
  // The command itself, each verb, and each verb of `offline` have a help page.
  EXPECT_GE(helps, 19u);
}

// The width is 80 columns for files and for terminals of unknown width.
TEST(Width, IsEightyWhereNothingElseIsSaid) {
  const CommandFolder folder;
  const std::string command =
      CommandOf("explain DATA/traces/nasnet_mobile.csv");
  EXPECT_EQ(folder.Run(absl::StrCat("stowage ", command)).out,
            folder.Run(absl::StrCat("COLUMNS=80 stowage ", command)).out);
}

// The width of the terminal does not affect output for programs.
TEST(Width, ChangesNothingThatProgramsRead) {
  const CommandFolder folder;
  WritePlans(folder);
  for (const char* line :
       {"explain plan.csv --format json", "explain plan.csv --format markdown",
        "plan DATA/traces/lstm.csv --strategy skyline -o -",
        "compare DATA/traces/lstm.csv --strategies naive,skyline --format "
        "markdown --nodes 1",
        "trace DATA/models/keyword_int8.tflite --names",
        "offline check DATA/models/keyword_int8.tflite --format json",
        "diff DATA/traces/unet.csv DATA/traces/lstm.csv --format markdown"}) {
    std::set<std::string> outputs;
    for (const char* width : {"40", "132"}) {
      outputs.insert(std::regex_replace(
          folder
              .Run(
                  absl::StrCat("COLUMNS=", width, " stowage ", CommandOf(line)))
              .out,
          std::regex(" +[0-9.]+ (us|ms)"), " TIME"));
    }
    EXPECT_EQ(outputs.size(), 1u) << line;
  }
}

}  // namespace
}  // namespace stowage::cli
