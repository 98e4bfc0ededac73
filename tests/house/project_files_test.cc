// SPDX-License-Identifier: Apache-2.0
// Applies the checks of project_files.h to every file of the project, and tests
// the checks themselves.
#include "tests/house/project_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace stowage::house {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

const std::string& Root() {
  static const std::string* const root = new std::string(STOWAGE_SOURCE_DIR);
  return *root;
}

TEST(ProjectFiles, AreFoundWithAndWithoutGit) {
  const std::vector<std::string> known = {"CMakeLists.txt",
                                          "include/stowage/verify.h",
                                          "tests/house/project_files_test.cc"};
  EXPECT_THAT(WalkFiles(Root()), IsSupersetOf(known));
  EXPECT_THAT(ProjectFiles(Root()), IsSupersetOf(known));
}

TEST(ProjectFiles, LeaveOutWhatIsBuilt) {
  EXPECT_THAT(WalkFiles(Root()), Not(Contains(StartsWith("build/"))));
  EXPECT_THAT(WalkFiles(Root()), Not(Contains(StartsWith(".git/"))));
}

TEST(ProjectFiles, LieWhereTheDesignPutsThem) {
  for (const std::string& path : ProjectFiles(Root())) {
    EXPECT_EQ(PlaceOffence(path), "");
  }
}

TEST(ProjectFiles, HaveAtMost500Lines) {
  for (const std::string& path : ProjectFiles(Root())) {
    const std::string content = ReadFileOrDie(absl::StrCat(Root(), "/", path));
    EXPECT_EQ(LengthOffence(path, content), "");
  }
}

TEST(ProjectFiles, StateTheirLicence) {
  for (const std::string& path : ProjectFiles(Root())) {
    const std::string content = ReadFileOrDie(absl::StrCat(Root(), "/", path));
    EXPECT_EQ(LicenceOffence(path, content), "");
  }
}

TEST(ProjectFiles, NameNoFolderOfOneMachine) {
  for (const std::string& path : ProjectFiles(Root())) {
    const std::string content = ReadFileOrDie(absl::StrCat(Root(), "/", path));
    EXPECT_EQ(ForeignPathOffence(path, content), "");
  }
}

TEST(PlaceOffence, IsFoundAtTheTopOnly) {
  EXPECT_EQ(PlaceOffence("src/verify/verify.cc"), "");
  EXPECT_EQ(PlaceOffence(".clang-format"), "");
  EXPECT_EQ(PlaceOffence("README.md"), "");
  EXPECT_EQ(PlaceOffence("scripts/run.sh"),
            "scripts/run.sh: the top level of the tree has no scripts");
  EXPECT_EQ(PlaceOffence("notes.txt"),
            "notes.txt: the top level of the tree has no notes.txt");
}

TEST(LengthOffence, StartsAtLine501OfASource) {
  const std::string lines_500(500, '\n');
  const std::string lines_501(501, '\n');
  EXPECT_EQ(LengthOffence("src/a.cc", lines_500), "");
  EXPECT_EQ(LengthOffence("src/a.cc", lines_501),
            "src/a.cc: 501 lines, more than 500");
  EXPECT_EQ(LengthOffence("src/a.h", lines_501),
            "src/a.h: 501 lines, more than 500");
  EXPECT_EQ(LengthOffence("data/a.csv", lines_501), "");
}

TEST(LicenceOffence, IsFoundInSourcesAndScripts) {
  const std::string spdx =
      absl::StrCat("SPDX-License", "-Identifier: Apache-2.0\n");
  EXPECT_EQ(LicenceOffence("src/a.cc", absl::StrCat("// ", spdx)), "");
  EXPECT_EQ(LicenceOffence("dev", absl::StrCat("#!/bin/sh\n# ", spdx)), "");
  EXPECT_EQ(LicenceOffence("docs/a.md", "# A\n"), "");
  EXPECT_EQ(LicenceOffence("data/a.csv", ""), "");
  for (const char* path :
       {"src/a.h", "tests/a.c", "src/CMakeLists.txt", "src/a.h.in", "a.py"}) {
    EXPECT_NE(LicenceOffence(path, "int x;\n"), "") << path;
    EXPECT_NE(LicenceOffence(path, ""), "") << path;
    EXPECT_NE(LicenceOffence(path, absl::StrCat("\n\n// ", spdx)), "") << path;
  }
  EXPECT_NE(LicenceOffence("data/check", "#!/bin/sh\nset -e\n"), "");
}

TEST(ForeignPathOffence, IsFoundAnywhereButInContinuousIntegration) {
  const std::string shared = absl::StrCat("x=..", "/shared/models");
  const std::string work = absl::StrCat("see /wo", "rk/main");
  EXPECT_NE(ForeignPathOffence("docs/a.md", shared), "");
  EXPECT_NE(ForeignPathOffence("docs/a.md", work), "");
  EXPECT_EQ(ForeignPathOffence(".ci/run", shared), "");
  EXPECT_EQ(ForeignPathOffence("docs/a.md", "a shared/ folder, homework/"), "");
}

}  // namespace
}  // namespace stowage::house
