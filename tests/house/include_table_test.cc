// SPDX-License-Identifier: Apache-2.0
// Checks all includes of the project against the table of rooms.
#include "tests/house/include_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/house/project_files.h"

namespace stowage::house {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Absolute(const std::string& path) {
  return absl::StrCat(STOWAGE_SOURCE_DIR, "/", path);
}

const Rooms& House() {
  static const auto* const rooms =
      new Rooms(ParseRooms(ReadFileOrDie(Absolute("docs/hacking.md"))));
  return *rooms;
}

std::vector<std::string> Sources() {
  std::vector<std::string> sources;
  for (const std::string& path : ProjectFiles(STOWAGE_SOURCE_DIR)) {
    if (IsSource(path)) sources.push_back(path);
  }
  return sources;
}

// Adds to `seen` every file of the project that `path` includes, directly or
// through other files.
void CollectIncluded(const std::string& path, std::set<std::string>* seen) {
  if (!std::filesystem::exists(Absolute(path))) return;  // generated file
  for (const std::string& include : IncludesOf(ReadFileOrDie(Absolute(path)))) {
    const std::string file = ProjectFileOf(House(), include);
    if (!file.empty() && seen->insert(file).second) {
      CollectIncluded(file, seen);
    }
  }
}

TEST(IncludeTable, HoldsForEveryInclude) {
  size_t includes = 0;
  for (const std::string& path : Sources()) {
    for (const std::string& include :
         IncludesOf(ReadFileOrDie(Absolute(path)))) {
      EXPECT_EQ(IncludeOffence(House(), path, include), "");
      ++includes;
    }
  }
  EXPECT_GT(includes, 100) << "the test does not see the tree";
}

TEST(Rooms, UseOnlyWhatIsBelowThem) {
  EXPECT_THAT(TableOffences(House()), IsEmpty());
}

// The table does not show whether a folder has a target and tests. This test
// checks that every folder of src has both.
TEST(Rooms, AreFoldersWithTargetsAndTests) {
  std::set<std::string> folders;
  for (const auto& entry :
       std::filesystem::directory_iterator(Absolute("src"))) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  folders.erase("install");
  folders.erase("delegates");  // each delegate has a target of its own
  for (const std::string& folder : folders) {
    EXPECT_EQ(House().count(folder), 1u) << folder;
    EXPECT_TRUE(std::filesystem::exists(
        Absolute(absl::StrCat("src/", folder, "/CMakeLists.txt"))))
        << folder;
    // clp is tested by the tests of optimal, which uses it.
    if (folder == "clp") continue;
    EXPECT_TRUE(std::filesystem::exists(
        Absolute(absl::StrCat("tests/", folder, "/CMakeLists.txt"))))
        << folder;
  }
}

// The verifier checks the plans of the strategies and of the planner, so it
// must not use any of their code.
TEST(Rooms, TheVerifierReachesNoStrategyAndNoPlanner) {
  std::set<std::string> reached;
  CollectIncluded("include/stowage/verify.h", &reached);
  CollectIncluded("src/verify/verify.cc", &reached);
  EXPECT_THAT(reached, Contains("include/stowage/assignment.h"));
  for (const std::string& file : reached) {
    const std::string room = RoomOf(House(), file);
    EXPECT_FALSE(absl::StrContains(room, "strategies/")) << file;
    EXPECT_NE(room, "plan") << file;
  }
}

// The core can be built either with Abseil or with the standard library alone.
// It therefore uses the names of `base`, each of which denotes a type of Abseil
// or of the standard library.
TEST(Rooms, OfTheCoreNameNothingOfAbseil) {
  size_t sources = 0;
  for (const std::string& path : Sources()) {
    const std::string room = RoomOf(House(), path);
    if (room == "base" || !IsCore(House(), room)) continue;
    EXPECT_FALSE(absl::StrContains(ReadFileOrDie(Absolute(path)), "absl::"))
        << path
        << " names abseil; expected names of stowage/base/ or src/base/";
    ++sources;
  }
  EXPECT_GT(sources, 200u) << "the test does not see the core";
}

TEST(Rooms, WithoutAbseilAreThoseOfPlanningFilesCertificatesTheKitAndC) {
  for (const char* room : {"base", "model", "plan", "json", "io", "kit",
                           "proof", "c", "strategies/naive"}) {
    EXPECT_TRUE(IsCore(House(), room)) << room;
  }
  for (const char* room :
       {"tflite", "explain", "testing", "command", "outside"}) {
    EXPECT_FALSE(IsCore(House(), room)) << room;
  }
}

TEST(Rooms, OneSourceOfOneStrategyKnowsLemon) {
  std::set<std::string> users;
  for (const std::string& path : Sources()) {
    if (RoomOf(House(), path) == "outside") continue;
    for (const std::string& include :
         IncludesOf(ReadFileOrDie(Absolute(path)))) {
      if (absl::StrContains(include, "lemon/")) users.insert(path);
    }
  }
  EXPECT_LE(users.size(), 1) << testing::PrintToString(users);
}

TEST(IncludesOf, ReadsEverySpelling) {
  EXPECT_THAT(IncludesOf("#include \"stowage/verify.h\"  // why\n"
                         "  #  include <vector>\n"
                         "// #include \"stowage/planner.h\"\n"
                         "#define include\n"),
              ElementsAre("\"stowage/verify.h\"", "<vector>"));
}

struct PlantedCase {
  std::string name;
  std::string path;
  std::string include;
  bool is_offence;
};

class PlantedInclude : public ::testing::TestWithParam<PlantedCase> {};

TEST_P(PlantedInclude, IsChecked) {
  const PlantedCase& planted = GetParam();
  EXPECT_EQ(!IncludeOffence(House(), planted.path, planted.include).empty(),
            planted.is_offence)
      << planted.path << " including " << planted.include;
}

INSTANTIATE_TEST_SUITE_P(
    , PlantedInclude,
    ::testing::Values(
        PlantedCase{"VerifierIncludesPlanner", "src/verify/verify.cc",
                    "\"stowage/planner.h\"", true},
        PlantedCase{"VerifierHeaderIncludesRegistry",
                    "include/stowage/verify.h", "\"stowage/registry.h\"", true},
        PlantedCase{"VerifierIncludesAStrategy", "src/verify/verify.cc",
                    "\"naive/naive.h\"", true},
        PlantedCase{"VerifierIncludesProblem", "src/verify/verify.cc",
                    "\"stowage/problem.h\"", false},
        PlantedCase{"VerifierIncludesProfile", "src/verify/verify.cc",
                    "\"stowage/profile.h\"", true},
        PlantedCase{"StrategyIncludesItself", "strategies/naive/naive.cc",
                    "\"naive/naive.h\"", false},
        PlantedCase{"StrategyIncludesAnother", "strategies/naive/naive.cc",
                    "\"equality/equality.h\"", true},
        PlantedCase{"GreedyBestIncludesAGreedyOne",
                    "strategies/greedy_best/greedy_best.cc",
                    "\"greedy_by_size/greedy_by_size.h\"", false},
        PlantedCase{"StrategyIncludesPlanner", "strategies/naive/naive.cc",
                    "\"stowage/planner.h\"", true},
        PlantedCase{"StrategyIncludesUmbrella", "strategies/naive/naive.cc",
                    "\"stowage/stowage.h\"", true},
        PlantedCase{"StrategyIncludesWhatStrategiesShare",
                    "strategies/naive/naive.cc", "\"src/construct/best_fit.h\"",
                    false},
        PlantedCase{"VerifierIncludesWhatStrategiesShare",
                    "src/verify/verify.cc", "\"src/construct/best_fit.h\"",
                    true},
        PlantedCase{"ModelIncludesBounds", "src/model/problem.cc",
                    "\"stowage/lower_bound.h\"", true},
        PlantedCase{"HeaderOfNoRoom", "include/stowage/best_fit.h", "<vector>",
                    true},
        PlantedCase{"PublicHeaderIncludesAPrivateOne",
                    "include/stowage/harness/window.h",
                    "\"src/harness/kernels/support.h\"", true},
        PlantedCase{"HeaderOfARoom", "include/stowage/explain/explain.h",
                    "<vector>", false},
        PlantedCase{"PlannerIncludesAStrategy", "src/plan/planner.cc",
                    "\"naive/naive.h\"", true},
        PlantedCase{"FilesIncludePlanner", "src/io/csv.cc",
                    "\"stowage/planner.h\"", true},
        PlantedCase{"FilesIncludeThemselves", "src/io/csv.cc",
                    "\"src/io/lines.h\"", false},
        PlantedCase{"PlannerIncludesFiles", "src/plan/planner.cc",
                    "\"src/io/lines.h\"", true},
        PlantedCase{"CommandIncludesTrace", "src/command/verb_plan.cc",
                    "\"stowage/io/problem_file.h\"", false},
        PlantedCase{"CommandIncludesAStrategy", "src/command/verb_plan.cc",
                    "\"naive/naive.h\"", true},
        PlantedCase{"LibraryIncludesCommand", "src/io/csv.cc",
                    "\"src/command/plan.h\"", true},
        PlantedCase{"DelegateIncludesAPublicHeader",
                    "src/delegates/xnnpack/steps.cc",
                    "\"stowage/harness/kernel_tools.h\"", false},
        PlantedCase{"DelegateIncludesItself", "src/delegates/xnnpack/steps.cc",
                    "\"src/delegates/xnnpack/node.h\"", false},
        PlantedCase{"DelegateIncludesAPrivateHeader",
                    "src/delegates/xnnpack/steps.cc",
                    "\"src/harness/kernels/support.h\"", true},
        PlantedCase{"NewDelegateIncludesAPrivateHeader",
                    "src/delegates/new/steps.cc",
                    "\"src/harness/kernels/support.h\"", true},
        PlantedCase{"DelegateIncludesAnother", "src/delegates/xnnpack/steps.cc",
                    "\"src/delegates/opencl/device.h\"", true},
        PlantedCase{"HarnessIncludesADelegate", "src/harness/delegates.cc",
                    "\"src/delegates/opencl/device.h\"", true},
        PlantedCase{"CommandIncludesAPrivateHeader", "src/command/verb_plan.cc",
                    "\"src/io/csv_reader.h\"", true},
        PlantedCase{"CommandIncludesItself", "src/command/verb_plan.cc",
                    "\"src/command/verb.h\"", false},
        PlantedCase{"HarnessIncludesAPrivateHeader", "src/harness/run_model.cc",
                    "\"src/tflite/graph_reader.h\"", true},
        PlantedCase{"ModelsIncludeAPrivateHeader", "src/tflite/model_reader.cc",
                    "\"src/io/csv_reader.h\"", true},
        PlantedCase{"DeviceIncludesAPrivateHeader", "src/tflm/micro_trace.cc",
                    "\"src/tflite/graph_reader.h\"", true},
        PlantedCase{"ModelSchemaInTheHarness", "src/harness/shadow.cc",
                    "\"model_schema/model_generated.h\"", false},
        PlantedCase{"ModelSchemaInTheCommand", "src/command/verb_run.cc",
                    "\"model_schema/model_generated.h\"", true},
        PlantedCase{"XnnpackInItsDelegate", "src/delegates/xnnpack/steps.cc",
                    "<xnnpack.h>", false},
        PlantedCase{"OpenClInAnotherDelegate", "src/delegates/onednn/steps.cc",
                    "<CL/cl.h>", true},
        PlantedCase{"UnknownRoom", "src/attic/old.cc", "<vector>", true},
        PlantedCase{"NeighbourWithoutPath", "src/verify/verify.cc",
                    "\"verify_detail.h\"", true},
        PlantedCase{"LemonInThePlanner", "src/plan/planner.cc",
                    "<lemon/network_simplex.h>", true},
        PlantedCase{"LemonInMinCostFlow",
                    "strategies/mincostflow/mincostflow.cc",
                    "<lemon/network_simplex.h>", false},
        PlantedCase{"JsonInTheModel", "src/model/problem.cc",
                    "<nlohmann/json.hpp>", true},
        PlantedCase{"JsonInTests", "tests/command/plan_test.cc",
                    "<nlohmann/json.hpp>", false},
        PlantedCase{"TestLibraryInTheLibrary", "src/model/problem.cc",
                    "<gtest/gtest.h>", true},
        PlantedCase{"AbseilInTheModel", "src/model/problem.cc",
                    "\"absl/status/status.h\"", true},
        PlantedCase{"AbseilInAStrategy", "strategies/naive/naive.cc",
                    "\"absl/types/span.h\"", true},
        PlantedCase{"AbseilInFiles", "include/stowage/io/problem_file.h",
                    "\"absl/status/status.h\"", true},
        PlantedCase{"AbseilInCertificates", "src/proof/claim.cc",
                    "\"absl/status/status.h\"", true},
        PlantedCase{"AbseilInJson", "src/json/document.h",
                    "\"absl/status/status.h\"", true},
        PlantedCase{"AbseilInBase", "include/stowage/base/span.h",
                    "\"absl/types/span.h\"", false},
        PlantedCase{"AbseilInTheHarness", "src/harness/session.cc",
                    "\"absl/status/status.h\"", false},
        PlantedCase{"BaseInTheModel", "include/stowage/problem.h",
                    "\"stowage/base/span.h\"", false},
        PlantedCase{"SystemHeader", "src/io/file.cc", "<sys/stat.h>", false}),
    [](const auto& planted) { return planted.param.name; });

}  // namespace
}  // namespace stowage::house
