// SPDX-License-Identifier: Apache-2.0
// Tests that no option is silently ignored. Every verb rejects an option that
// has no effect on its inputs, with a message that names the option and the
// input, and accepts every other option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr char kTests[] = STOWAGE_SOURCE_DIR "/tests/command/data/";
constexpr char kModel[] =
    STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite";

// The kinds of inputs that an option has an effect on.
enum Kinds {
  kNone = 0,
  kTrace = 1,
  kProblem = 2,
  kModelFile = 4,
  kRecordingFile = 8,
  kProgramFile = 16
};

struct OptionRow {
  const char* option;  // the option that the message names
  const char* values;  // all options that are given
  int effective;       // a set of Kinds on which the options have effect
};

// Returns the options of every verb that reads traces and models.
std::vector<OptionRow> OptionRows() {
  return {
      {"--subgraph", "--subgraph 0", kModelFile},
      {"--lifetimes", "--lifetimes plain", kModelFile},
      {"--lifetimes", "--lifetimes cpu", kModelFile},
      {"--lifetimes", "--lifetimes micro", kModelFile},
      {"--tensor-alignment", "--tensor-alignment 64",
       kModelFile | kRecordingFile},
      {"--part", "--part x", kRecordingFile},
      {"--alive-before", "--alive-before leave", kRecordingFile},
      {"--alive-after", "--alive-after leave", kRecordingFile},
      {"--frees", "--frees requested", kNone},  // not in logs of mtrace
      {"--uses", "--uses touches", kNone},      // not in logs of mtrace
      {"--dim", "--dim x=1", kNone},
      {"--default-dim", "--default-dim 1", kNone},
      {"--include-io", "--include-io", kModelFile},
      {"--include-io", "--include-io --lifetimes plain", kModelFile},
      {"--include-io", "--include-io --lifetimes cpu", kNone},
      {"--include-io", "--include-io --lifetimes micro", kNone},
      {"--io-lifetime", "--io-lifetime use", kNone},
      {"--io-lifetime", "--io-lifetime keep --lifetimes plain", kNone},
      {"--io-lifetime", "--io-lifetime use --include-io", kModelFile},
      {"--io-lifetime", "--io-lifetime use --lifetimes cpu", kModelFile},
      {"--io-lifetime", "--io-lifetime keep --lifetimes micro", kModelFile},
      {"--offline", "--offline honour", kModelFile},
      {"--offline", "--offline honour --lifetimes micro", kModelFile},
      {"--offline", "--offline ignore --lifetimes micro", kModelFile},
      {"--offline", "--offline ignore", kNone},
      {"--offline", "--offline honour --lifetimes cpu", kNone},
      {"--shape", "--shape 0=1x24x24x3", kModelFile},
      {"--strict", "--strict", kModelFile},
      {"--ignore-unknown-columns", "--ignore-unknown-columns", kTrace},
      {"--at", "--at s=1", kNone},  // no input has parameters
  };
}

// Returns the options that only `plan` has.
std::vector<OptionRow> PlanRows() {
  return {
      {"--sharing", "--sharing none", kModelFile},
      {"--sharing", "--sharing fixed", kModelFile},
      {"--sharing", "--sharing groups --lifetimes cpu", kModelFile},
      {"--sharing", "--sharing fixed --lifetimes plain", kNone},
      {"--sharing", "--sharing none --lifetimes micro", kNone},
      {"--shadow", "--shadow", kModelFile},
      {"--parameter", "--shape '0=1x?sx24x3' --parameter s=24..24 --at s=24",
       kModelFile},
      {"--where",
       "--shape '0=1x?sx24x3' --parameter s=24..24 --where 's < 25' --at s=24",
       kModelFile},
      {"--all-tensors", "--all-tensors -o all.csv", kModelFile},
      {"--copies", "--copies made", kProgramFile},
      {"--copies", "--copies chosen", kProgramFile},
      {"--copies", "--copies none", kProgramFile},
      {"--copies", "--copies none --state auto", kModelFile | kProgramFile},
      {"--state", "--state auto", kModelFile | kProgramFile},
      {"--state", "--state copy", kModelFile | kProgramFile},
      {"--state-io", "--state-io 0=0", kModelFile | kProgramFile},
      {"--signatures", "--signatures", kModelFile},
      {"--calls", "--calls nested", kModelFile},
      {"--aim", "--aim ratio", kNone},  // no input has parameters
      {"--buckets", "--buckets 2", kNone},
  };
}

struct InputRow {
  Kinds kind;
  const char* name;  // contains a plan if this kind can contain one
};

constexpr InputRow kInputs[] = {
    {kTrace, "trace.csv"},          {kProblem, "problem.json"},
    {kModelFile, "model.tflite"},   {kRecordingFile, "log.mtrace"},
    {kProgramFile, "program.json"},
};

// Provides a folder with one input of each kind.
class EffectsFolder {
 protected:
  EffectsFolder() {
    folder_.Write("trace.csv",
                  ReadWholeFile(absl::StrCat(kTests, "small.plan.csv")));
    folder_.Write("problem.json",
                  R"({"records": [{"id": "a", "lower": 0, "upper": 1, )"
                  R"("size": 4, "offset": 0}]})");
    folder_.Write("model.tflite", ReadWholeFile(kModel));
    folder_.Write("program.json",
                  R"({"functions": [{"tensors": [{"id": "a", "size": 4, )"
                  R"("offset": 0}], "inputs": ["a"], "outputs": ["a"], )"
                  R"("nodes": []}]})");
    folder_.Write("log.mtrace",
                  "= Start\n@ a:[0x1] + 0x10 0x40\n@ a:[0x1] - 0x10\n");
  }

  CommandFolder folder_;
};

class OptionEffects : public testing::TestWithParam<const char*>,
                      protected EffectsFolder {
 protected:
  // Runs `command` once for each input, with the name of the input in place of
  // INPUT.
  void Check(const std::string& command, const OptionRow& row) {
    for (const InputRow& input : kInputs) {
      const std::string line = absl::StrCat(
          "stowage ", absl::StrReplaceAll(command, {{"INPUT", input.name}}),
          " ", row.values);
      SCOPED_TRACE(line);
      const CommandResult result = folder_.Run(line);
      if ((row.effective & input.kind) != 0) {
        EXPECT_NE(result.exit_code, 2) << result.err;
        continue;
      }
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_EQ(result.out, "");
      EXPECT_THAT(result.err, HasSubstr(input.name));
      EXPECT_THAT(result.err, HasSubstr("; expected "));
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
      // If several options have no effect, the message names the one that is
      // listed first among the options of the verb.
      const bool is_alone =
          input.kind == kModelFile || !absl::StrContains(row.values, " --");
      if (is_alone) {
        EXPECT_THAT(result.err, HasSubstr(absl::StrCat(row.option, ": ")));
      }
    }
  }
};

TEST_P(OptionEffects, AreAsTheTableSays) {
  const std::string command = GetParam();
  for (const OptionRow& row : OptionRows()) Check(command, row);
  if (!absl::StartsWith(command, "plan ")) return;
  for (const OptionRow& row : PlanRows()) Check(command, row);
}

// Every option that the help lists under the heading of some kinds of inputs
// has a row in the tables of this test.
TEST_P(OptionEffects, TheTableIsWhole) {
  const std::string command = GetParam();
  const std::string verb = command.substr(0, command.find(' '));
  // These options need several inputs; transcripts show their errors.
  std::set<std::string> known = {"--together", "--hand"};
  for (const OptionRow& row : OptionRows()) known.insert(row.option);
  for (const OptionRow& row : PlanRows()) known.insert(row.option);
  const std::string help =
      folder_.Run(absl::StrCat("stowage ", verb, " --help")).out;
  const size_t begin = help.find("\nOptions for models:\n");
  ASSERT_NE(begin, std::string::npos) << help;
  const std::string limited = help.substr(begin);
  const std::regex option("\n  (--[a-z-]+)");
  size_t count = 0;
  for (std::sregex_iterator it(limited.begin(), limited.end(), option), end;
       it != end; ++it, ++count) {
    EXPECT_THAT(known, Contains((*it)[1].str()));
  }
  EXPECT_GT(count, 15);
}

INSTANTIATE_TEST_SUITE_P(Verbs, OptionEffects,
                         testing::Values("plan INPUT --strategy naive",
                                         "bounds INPUT",
                                         "compare INPUT --strategies naive",
                                         "explain INPUT", "verify INPUT INPUT",
                                         "diff INPUT INPUT", "show INPUT",
                                         "report INPUT -o page.html"),
                         [](const auto& test) {
                           const std::string command = test.param;
                           return command.substr(0, command.find(' '));
                         });

struct MixedRow {
  const char* command;
  const char* refused;  // the option that is refused; empty for none
};

class MixedEffects : public testing::Test, protected EffectsFolder {
 protected:
  // Runs the command, and expects that it rejects the option `row.refused`.
  // `more` contains further arguments, and `why` is a part of the expected
  // message.
  void Check(const MixedRow& row, const char* more = "",
             const char* why = "has no effect") {
    SCOPED_TRACE(row.command);
    const CommandResult result =
        folder_.Run(absl::StrCat("stowage ", row.command, more));
    if (*row.refused == '\0') {
      EXPECT_NE(result.exit_code, 2) << result.err;
      return;
    }
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(absl::StrCat(row.refused, ": ")));
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_THAT(result.err, HasSubstr("; expected "));
  }
};

// An option is accepted if it has an effect on at least one input.
TEST_F(MixedEffects, OneOfSeveralInputsIsEnough) {
  for (const MixedRow& row : std::vector<MixedRow>{
           {"compare trace.csv model.tflite --lifetimes cpu", ""},
           {"compare trace.csv model.tflite --ignore-unknown-columns", ""},
           {"compare trace.csv problem.json --lifetimes cpu", "--lifetimes"},
           {"compare . --tensor-alignment 64", ""},
           {"compare problem.json model.tflite --ignore-unknown-columns",
            "--ignore-unknown-columns"},
           {"diff trace.csv model.tflite --subgraph 0", ""},
           {"diff trace.csv problem.json --subgraph 0", "--subgraph"},
           {"verify model.tflite trace.csv --lifetimes cpu", ""},
           {"verify model.tflite trace.csv --ignore-unknown-columns", ""},
       }) {
    Check(row,
          absl::StartsWith(row.command, "compare") ? " --strategies naive" : "",
          ": has no effect on any of 2 inputs");
  }
}

// These combinations of options have no effect on any input.
TEST_F(MixedEffects, CombinationsWithoutEffectAreRefused) {
  folder_.Write("objects.csv",
                ReadWholeFile(absl::StrCat(kTests, "small.objects.csv")));
  folder_.Write("plain.csv", ReadWholeFile(absl::StrCat(kTests, "small.csv")));
  for (const MixedRow& row : std::vector<MixedRow>{
           {"plan plain.csv --kind objects --alignment 8", "--alignment"},
           {"plan plain.csv --kind offsets --alignment 8", ""},
           {"plan plain.csv --no-names", "--no-names"},
           {"plan plain.csv --no-names -o p.csv", ""},
           {"plan model.tflite --all-tensors", "--all-tensors"},
           {"plan model.tflite --all-tensors --sharing none -o p.csv",
            "--all-tensors"},
           {"plan model.tflite --all-tensors -o p.csv", ""},
           {"verify model.tflite trace.csv --sharing any --alignment 8",
            "--alignment"},
           {"verify model.tflite trace.csv --sharing any --lifetimes cpu",
            "--lifetimes"},
           {"compare plain.csv --kind objects --alignment 8", "--alignment"},
           {"compare plain.csv --kind both --alignment 8", ""},
           {"verify plain.csv objects.csv --alignment 8", "--alignment"},
           {"verify plain.csv trace.csv --alignment 8", ""},
           {"explain plain.csv --time-limit 1s", "--time-limit"},
           {"explain plain.csv --nodes 1", "--nodes"},
           {"explain plain.csv --seed 1", "--seed"},
           {"explain plain.csv --threads 1", "--threads"},
           {"explain plain.csv --relax hull", "--relax"},
           {"explain plain.csv --replan optimal --nodes 9 --seed 1", ""},
           {"diff trace.csv plain.csv --kind objects", "--kind"},
           {"diff plain.csv plain.csv --kind objects", ""},
           {"diff plain.csv plain.csv --name x", "--name"},
           {"diff plain.csv plain.csv --name x --format markdown", ""},
           {"show trace.csv --format json --ascii", "--ascii"},
           {"show trace.csv --format json --color never", "--color"},
           {"show trace.csv --format json --from 1", "--from"},
           {"show trace.csv --format json --to 1", "--to"},
           {"show trace.csv --format json --width 80", "--width"},
           {"show trace.csv --format json --height 9", "--height"},
           {"show trace.csv --svg x.svg --ascii", "--ascii"},
           {"show trace.csv --svg x.svg --to 1", "--to"},
           {"show trace.csv --svg x.svg --width 640 --format json", ""},
           {"show trace.csv --ascii --color never --from 1 --width 80", ""},
           {"report trace.csv --title T --perfetto x.json", "--title"},
           {"report trace.csv --title T -o x.html", ""},
           {"trace model.tflite --include-io --lifetimes cpu", "--include-io"},
           {"trace model.tflite --offline ignore", "--offline"},
           {"trace model.tflite --sharing fixed --lifetimes plain",
            "--sharing"},
           {"trace model.tflite --io-lifetime use --lifetimes cpu", ""},
           {"trace model.tflite --shape '0=1x?sx24x3' --parameter s=24..24",
            ""},
           {"trace trace.csv --shape '0=1x?s' --parameter s=1..2", "--shape"},
           {"trace log.mtrace --shape '0=1x?s' --parameter s=1..2", "--shape"},
           {"trace model.tflite --shape '0=1x?sx24x3' --parameter s=24..24 "
            "--streams 2",
            "--streams"},
           {"trace model.tflite --shape '0=1x?sx24x3' --parameter s=24..24 "
            "--names",
            ""},
           {"plan model.tflite --shape '0=1x?sx24x3' --parameter s=24..24 "
            "--strategy naive",
            "--strategy"},
           {"plan model.tflite --shape '0=1x?sx24x3' --parameter s=24..24 "
            "--strategy naive --at s=24",
            ""},
           {"plan model.tflite --state auto --parameter s=24..24",
            "--parameter"},
           {"trace model.tflite --state auto --parameter s=24..24",
            "--parameter"},
           {"trace model.tflite --state auto --where 's < 3'", "--where"},
           {"trace model.tflite --state auto", ""},
           {"trace model.tflite --state auto --streams 2", "--streams"},
           {"trace model.tflite --state auto --names", "--names"},
           {"trace model.tflite --state auto --delegate reference",
            "--delegate"},
           {"plan model.tflite --state auto --sharing none", "--sharing"},
           {"plan model.tflite --state auto --shadow", "--shadow"},
           {"plan model.tflite --state auto --all-tensors -o p.csv",
            "--all-tensors"},
       }) {
    Check(row);
  }
}

// Options of programs are rejected if they cannot be combined, or if they do
// not match the number of inputs.
TEST_F(MixedEffects, OptionsOfProgramsThatDoNotFitAreRefused) {
  folder_.Write("other.tflite", ReadWholeFile(kModel));
  for (const MixedRow& row : std::vector<MixedRow>{
           {"plan model.tflite other.tflite", "stowage plan"},
           {"trace model.tflite other.tflite", "stowage trace"},
           {"plan model.tflite --together sequence", "--together"},
           {"plan model.tflite --hand 0:0=1:0", "--hand"},
           {"plan model.tflite other.tflite --together interleave "
            "--hand 0:0=1:0",
            "--hand"},
           {"plan model.tflite other.tflite --together sequence --signatures",
            "--signatures"},
           {"plan model.tflite other.tflite --together sequence "
            "--state-io 0=0",
            "--state-io"},
           {"plan model.tflite --signatures --subgraph 0", "--subgraph"},
           {"plan model.tflite --calls nested --signatures", "--calls"},
           {"plan model.tflite --calls nested --lifetimes plain",
            "--lifetimes"},
           {"plan model.tflite --calls nested --sharing none", "--sharing"},
           {"plan model.tflite --lifetimes cpu --copies none", "--copies"},
           {"trace model.tflite --lifetimes cpu --copies none", "--copies"},
           {"trace model.tflite --calls nested --names", "--names"},
           {"plan model.tflite --state auto --lifetimes micro", "--lifetimes"},
           {"plan model.tflite --state auto --lifetimes cpu", ""},
           {"plan model.tflite other.tflite --together sequence", ""},
           {"plan model.tflite other.tflite --together interleave", ""},
           {"trace model.tflite program.json --together sequence", ""},
       }) {
    Check(row, "", ": ");
  }
}

// Some options concern a part that not every model has, such as a variable or a
// plan. For a model without this part, the command rejects the option. Other
// options have no effect if certain further options are given.
TEST_F(MixedEffects, OptionsForModelsWithoutTheirSubjectAreRefused) {
  for (const char* model : {"vela", "variable", "open"}) {
    const std::string name = absl::StrCat(model, ".tflite");
    folder_.Write(name,
                  ReadWholeFile(absl::StrCat(STOWAGE_TEXT_MODELS, "/", name)));
  }
  folder_.Write("dynamic_stack.json",
                ReadWholeFile(absl::StrCat(kTests, "dynamic_stack.json")));
  ASSERT_EQ(folder_.Run("stowage offline write model.tflite -o planned.tflite")
                .exit_code,
            0);
  for (const MixedRow& row : std::vector<MixedRow>{
           {"arena model.tflite --resource-variables 3",
            "--resource-variables"},
           {"arena variable.tflite --resource-variables 3", ""},
           {"offline check model.tflite --allow-custom-overlap",
            "--allow-custom-overlap"},
           {"offline check planned.tflite --allow-custom-overlap",
            "--allow-custom-overlap"},
           {"offline check open.tflite --allow-custom-overlap",
            "--allow-custom-overlap"},
           {"offline check vela.tflite --allow-custom-overlap", ""},
           {"offline header planned.tflite -o x.h --allow-custom-overlap",
            "--allow-custom-overlap"},
           {"offline header vela.tflite -o x.h --allow-custom-overlap", ""},
           {"offline header planned.tflite -o x.h --nodes 9", "--nodes"},
           {"offline header planned.tflite -o x.h --time-limit 1s",
            "--time-limit"},
           {"offline header planned.tflite -o x.h --seed 2", "--seed"},
           {"offline header planned.tflite -o x.h --threads 1", "--threads"},
           {"offline header planned.tflite -o x.h --strategy optimal --nodes 9",
            ""},
           {"offline header model.tflite -o x.h --nodes 9 --seed 2", ""},
           {"offline header --stack dynamic_stack.json -o x.h", ""},
           {"offline header --stack dynamic_stack.json -o x.h --bits 64",
            "--bits"},
           {"offline header --stack dynamic_stack.json -o x.h --nodes 9",
            "--nodes"},
           {"offline header --stack dynamic_stack.json -o x.h --strict",
            "--strict"},
           {"offline header --stack dynamic_stack.json -o x.h --strategy "
            "skyline",
            "--strategy"},
           {"offline strip model.tflite -o x.tflite --force", "--force"},
           {"offline strip planned.tflite -o x.tflite --force", ""},
           {"offline strip vela.tflite -o x.tflite --force", ""},
           {"run model.tflite --preserve-all --lifetimes cpu", "--lifetimes"},
           {"run model.tflite --preserve-all --sharing none", "--sharing"},
           {"run model.tflite --preserve-all --io-lifetime use",
            "--io-lifetime"},
           {"run model.tflite --preserve-all --nodes 9", "--nodes"},
           {"run model.tflite --preserve-all --time-limit 1s", "--time-limit"},
           {"run model.tflite --preserve-all --strategy naive --kind objects "
            "--alignment 128",
            ""},
           {"run model.tflite --lifetimes plain --sharing fixed", "--sharing"},
           {"run model.tflite --lifetimes micro --sharing fixed", "--sharing"},
           {"run model.tflite --lifetimes cpu --sharing fixed", ""},
           {"run model.tflite --copies none", "--copies"},
           {"run model.tflite --max-turns 9", "--max-turns"},
           {"run model.tflite --state auto", "--state"},
           {"run model.tflite --state copy", "--state"},
           {"run variable.tflite --state auto", ""},
           {"run variable.tflite --state copy", ""},
           {"run variable.tflite --state copy --preserve-all", "--state"},
           {"run variable.tflite --state auto --lifetimes plain", "--state"},
           {"run variable.tflite --state copy --sharing groups", "--state"},
           {"run variable.tflite --state auto --kind objects", "--state"},
           {"run model.tflite --offline ignore", "--offline"},
           {"run model.tflite --offline honour", "--offline"},
           {"run model.tflite --arena-size 1MiB", "--arena-size"},
           {"run model.tflite --arena micro --arena-size 1MiB --offline ignore",
            ""},
       }) {
    Check(row);
  }
}

}  // namespace
}  // namespace stowage::cli
