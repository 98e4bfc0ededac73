#include "src/program/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
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

// Whatever a program has done to it.
TEST_F(PrivateFolderTest, IsRenewed) {
  setenv("TMPDIR", Path("").c_str(), 1);
  {
    auto folder = PrivateFolder::Create();
    ASSERT_THAT(folder, IsOk());
    const struct {
      const char* name;
      std::function<void(const std::string& inside)> spoil;
    } cases[] = {
        {"nothing", [](const std::string&) {}},
        {"a file",
         [](const std::string& in) { std::ofstream(in + "/a") << 1; }},
        {"a locked folder",
         [](const std::string& in) {
           fs::create_directories(in + "/a/b");
           fs::permissions(in + "/a", fs::perms::none);
         }},
        {"it is gone", [](const std::string& in) { fs::remove_all(in); }},
        {"all is gone",
         [&](const std::string&) { fs::remove_all(folder->path()); }},
        {"a file in its place",
         [&](const std::string&) {
           fs::remove_all(folder->path());
           std::ofstream(folder->path()) << 1;
         }},
    };
    for (const auto& c : cases) {
      const auto before = folder->Renew();
      ASSERT_THAT(before, IsOk()) << c.name;
      c.spoil(*before);
      const auto after = folder->Renew();
      ASSERT_THAT(after, IsOk()) << c.name;
      EXPECT_TRUE(fs::is_empty(*after)) << c.name;
      EXPECT_FALSE(fs::exists(*before)) << c.name;
    }
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
