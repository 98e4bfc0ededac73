#include "src/program/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage::program {
namespace {

namespace fs = std::filesystem;
using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Sets TMPDIR for one test.
class PrivateFolderTest : public TempFolderTest {
 protected:
  PrivateFolderTest() {
    const char* const before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
  }
  ~PrivateFolderTest() override {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }

 private:
  absl::optional<std::string> before_;
};

TEST_F(PrivateFolderTest, IsUnderTmpdirForTheUserAloneAndGoneAtTheEnd) {
  setenv("TMPDIR", Path("").c_str(), 1);
  {
    const auto folder = PrivateFolder::Create();
    ASSERT_THAT(folder, IsOk());
    EXPECT_THAT(Names(), SizeIs(1));
    EXPECT_EQ(fs::status(folder->path()).permissions(), fs::perms::owner_all);
    fs::create_directory(folder->path() + "/deep");
    std::ofstream(folder->path() + "/deep/file") << "x";
    const auto other = PrivateFolder::Create();
    ASSERT_THAT(other, IsOk());
    EXPECT_NE(folder->path(), other->path());
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(PrivateFolderTest, MovesWithItsOwner) {
  setenv("TMPDIR", Path("").c_str(), 1);
  {
    auto folder = PrivateFolder::Create();
    ASSERT_THAT(folder, IsOk());
    const PrivateFolder moved = *std::move(folder);
    folder = absl::InternalError("the first owner is gone");
    EXPECT_TRUE(fs::exists(moved.path()));
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(PrivateFolderTest, NamesTheFolderThatIsNone) {
  setenv("TMPDIR", Path("missing").c_str(), 1);
  EXPECT_THAT(PrivateFolder::Create(),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("expected TMPDIR to name one")));
}

}  // namespace
}  // namespace stowage::program
