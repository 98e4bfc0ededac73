// SPDX-License-Identifier: Apache-2.0
// Tests that the plan of all tensors of a model, including functions and
// variables, passes the check by value, and that a plan with all tensors in the
// same place does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct ModelCase {
  std::string path;
  const char* options;
};

// Returns the ids of all rows except those of variables, each with offset 0.
std::string InOnePlace(const std::string& rows) {
  std::string all = "id,offset\n";
  const std::vector<std::string> lines = absl::StrSplit(rows, '\n');
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const std::string id = lines[i].substr(0, lines[i].find(','));
    if (!absl::StartsWith(id, "variable.")) absl::StrAppend(&all, id, ",0\n");
  }
  return all;
}

TEST(AllTensors, PlansPassTheCheckByValue) {
  std::vector<ModelCase> models;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(STOWAGE_SOURCE_DIR "/tests/data/control_flow")) {
    // Skips a model that has a loop variable of unknown size.
    if (entry.path().extension() == ".tflite" &&
        entry.path().stem() != "made_while_grows") {
      models.push_back({entry.path().string(), ""});
    }
  }
  const std::string variables = STOWAGE_TEXT_MODELS "/signatures.tflite";
  for (const char* state : {"auto", "copy"}) {
    models.push_back({variables, state});
  }
  ASSERT_GT(models.size(), 10u);
  const CommandFolder folder;
  for (const ModelCase& model : models) {
    SCOPED_TRACE(absl::StrCat(model.path, " ", model.options));
    const std::string state =
        model.options[0] == '\0'
            ? ""
            : absl::StrCat(" --calls nested --state ", model.options);
    const CommandResult planned = folder.Run(absl::StrCat(
        "stowage plan ", model.path, state, " --all-tensors -o all.csv"));
    ASSERT_EQ(planned.exit_code, 0) << planned.err;
    const std::string verify =
        absl::StrCat("stowage verify --sharing any ", model.path, " ");
    const CommandResult safe = folder.Run(absl::StrCat(verify, "all.csv"));
    EXPECT_EQ(safe.exit_code, 0) << safe.out << safe.err;
    EXPECT_THAT(safe.out, StartsWith("safe: "));
    folder.Write("one.csv", InOnePlace(folder.Read("all.csv")));
    const CommandResult unsafe = folder.Run(absl::StrCat(verify, "one.csv"));
    EXPECT_EQ(unsafe.exit_code, 1) << unsafe.out << unsafe.err;
  }
  EXPECT_THAT(folder.Read("all.csv"), HasSubstr("variable.0,"));
}

// Variables without a row are placed after the end of the arena. A plan with
// offsets but without sizes does not contain this end, so it is computed.
TEST(AllTensors, VariablesFollowTheLastTensor) {
  const CommandFolder folder;
  const std::string model = STOWAGE_TEXT_MODELS "/signatures.tflite";
  folder.Write("plan.csv", "id,offset\n1.0,0\n1.2,16\n1.3,48\n1.4,32\n");
  EXPECT_EQ(folder
                .Run(absl::StrCat("stowage verify --sharing any --subgraph 1 ",
                                  model, " plan.csv"))
                .out,
            "safe: 4 tensors, whatever shares memory\n"
            "checked: every read finds what was written\n");
}

TEST(AllTensors, WhatItCannotSayIsRefused) {
  const CommandFolder folder;
  const std::string model =
      STOWAGE_SOURCE_DIR "/tests/data/control_flow/made_while_swap.tflite";
  struct Refused {
    const char* options;
    int exit_code;
    const char* message;
  };
  for (const Refused& c : {
           Refused{"--copies made", 3, "with --copies made"},
           Refused{"--state auto", 2, "expected a model alone"},
           Refused{"--calls nested --state-io 0=0", 2,
                   "expected a model alone"},
       }) {
    SCOPED_TRACE(c.options);
    const CommandResult result = folder.Run(absl::StrCat(
        "stowage plan ", model, " --all-tensors -o all.csv ", c.options));
    EXPECT_EQ(result.exit_code, c.exit_code);
    EXPECT_THAT(result.err, HasSubstr(c.message));
  }
  folder.Write("bad.csv", "id,offset\nvariables.0,0\n");
  const CommandResult bad = folder.Run(
      absl::StrCat("stowage verify --sharing any ", model, " bad.csv"));
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("expected the number of a tensor, "
                                 "SUBGRAPH.TENSOR, or variable.NUMBER"));
}

}  // namespace
}  // namespace stowage::cli
