// SPDX-License-Identifier: Apache-2.0
#include "src/testing/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): of POSIX

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/unprivileged.h"

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
    PrivateFolder folder;
    EXPECT_THAT(Names(), IsEmpty());
    const auto inside = folder.Renew();
    ASSERT_THAT(inside, IsOk());
    EXPECT_THAT(Names(), SizeIs(1));
    const fs::path path = fs::path(*inside).parent_path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(*inside).permissions(), fs::perms::owner_all);
    fs::create_directory(*inside + "/deep");
    std::ofstream(*inside + "/deep/file") << "x";
    PrivateFolder other;
    const auto other_inside = other.Renew();
    ASSERT_THAT(other_inside, IsOk());
    EXPECT_NE(fs::path(*other_inside).parent_path(), path);
  }
  EXPECT_THAT(Names(), IsEmpty());
}

// The folder can be renewed after any damage that a program has done to it.
TEST_F(PrivateFolderTest, IsRenewed) {
  setenv("TMPDIR", Path("").c_str(), 1);
  // Root could list a folder without permissions.
  const support::Unprivileged unprivileged({Path("")});
  if (!unprivileged.is_in_effect()) {
    GTEST_SKIP() << "the user is root and cannot become another";
  }
  {
    PrivateFolder folder;
    const struct {
      const char* name;
      std::function<void(const std::string& inside)> damage;
    } cases[] = {
        {"nothing", [](const std::string&) {}},
        {"a file",
         [](const std::string& in) { std::ofstream(in + "/a") << 1; }},
        {"a folder without permissions",
         [](const std::string& in) {
           fs::create_directories(in + "/a/b");
           fs::permissions(in + "/a", fs::perms::none);
           std::error_code error;
           EXPECT_FALSE(fs::exists(in + "/a/b", error));
           EXPECT_TRUE(error);
         }},
        {"removed", [](const std::string& in) { fs::remove_all(in); }},
        {"removed with the folder that it is in",
         [](const std::string& in) {
           fs::remove_all(fs::path(in).parent_path());
         }},
        {"a file in place of the folder that it is in",
         [](const std::string& in) {
           fs::remove_all(fs::path(in).parent_path());
           std::ofstream(fs::path(in).parent_path()) << 1;
         }},
    };
    for (const auto& c : cases) {
      const auto before = folder.Renew();
      ASSERT_THAT(before, IsOk()) << c.name;
      c.damage(*before);
      const auto after = folder.Renew();
      ASSERT_THAT(after, IsOk()) << c.name;
      EXPECT_TRUE(fs::is_empty(*after)) << c.name;
      EXPECT_FALSE(fs::exists(*before)) << c.name;
    }
  }
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(PrivateFolderTest, IsNotMadeAgainOnceClosed) {
  setenv("TMPDIR", Path("").c_str(), 1);
  PrivateFolder folder;
  ASSERT_THAT(folder.Renew(), IsOk());
  folder.Close();
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT(folder.Renew(),
              FailsWith(absl::StatusCode::kCancelled, ::testing::_));
  EXPECT_THAT(Names(), IsEmpty());
}

// The folder is closed while another thread renews it and writes a file in it.
// This happens if a second signal terminates the command while it creates the
// folder for the next run and a killed program still writes a file.
TEST_F(PrivateFolderTest, IsGoneWhereverItIsClosed) {
  setenv("TMPDIR", Path("").c_str(), 1);
  for (int round = 0; round < 50; ++round) {
    PrivateFolder folder;
    ASSERT_THAT(folder.Renew(), IsOk());
    std::atomic<bool> is_running{false};
    std::thread worker([&] {
      for (auto inside = folder.Renew(); inside.ok(); inside = folder.Renew()) {
        is_running = true;
        std::ofstream(*inside + "/late") << 1;
      }
    });
    while (!is_running) std::this_thread::yield();
    folder.Close();
    worker.join();
    ASSERT_THAT(Names(), IsEmpty()) << "round " << round;
  }
}

TEST_F(PrivateFolderTest, NamesAMissingTmpdir) {
  setenv("TMPDIR", Path("missing").c_str(), 1);
  EXPECT_THAT(PrivateFolder().Renew(),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("expected TMPDIR to name one")));
}

}  // namespace
}  // namespace stowage::program
