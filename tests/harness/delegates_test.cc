// SPDX-License-Identifier: Apache-2.0
// Tests how delegates are found by name and in shared libraries, both good and
// bad ones.
#include "stowage/harness/delegates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"
#include "tests/harness/delegate_libraries/idle_delegate.h"

namespace stowage::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Made = absl::StatusOr<std::unique_ptr<Delegate>>;

void RegisterAll() {
  RegisterDelegate(
      {"zeta", "The last", "", nullptr, [](absl::string_view) -> Made {
         return absl::InvalidArgumentError("option 'x': unknown");
       }});
  RegisterDelegate({"able", "Runs", "any=word", [] { return absl::OkStatus(); },
                    [](absl::string_view options) -> Made {
                      return std::make_unique<IdleDelegate>(options);
                    }});
  RegisterDelegate({"deviceless", "Runs nowhere", "",
                    [] { return absl::UnavailableError("device: none"); },
                    nullptr});
  RegisterDelegate(
      {"thrower", "Throws", "", nullptr, [](absl::string_view) -> Made {
         throw std::runtime_error("no words");
       }});
}

class Delegates : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { RegisterAll(); }
};

// Returns the path of the library that is built from library.cc with `fault`.
std::string Library(absl::string_view fault) {
  return absl::StrCat(STOWAGE_DELEGATE_LIBRARIES, "/", fault, ".so");
}

std::string MessageOf(absl::string_view text, absl::StatusCode code) {
  const Made made = CreateDelegate(text);
  EXPECT_EQ(made.status().code(), code) << text << ": " << made.status();
  return std::string(made.status().message());
}

TEST_F(Delegates, AreListedByName) {
  RegisterAll();  // a second registration changes nothing
  std::vector<std::string> names;
  for (const DelegateRegistration& one : AllDelegates()) {
    names.push_back(one.name);
  }
  EXPECT_THAT(names,
              ::testing::ElementsAre("able", "deviceless", "thrower", "zeta"));
}

TEST_F(Delegates, GetWhatFollowsTheFirstColon) {
  for (const absl::string_view options : {"", "any=word", "path=/a:b/c"}) {
    const Made made = CreateDelegate(absl::StrCat("able:", options));
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ((*made)->info().name, options);
  }
  EXPECT_EQ((*CreateDelegate("able"))->info().name, "");
}

TEST_F(Delegates, OfOtherNamesAreNotFound) {
  for (const absl::string_view name : {"", "ables", "able.so"}) {
    EXPECT_THAT(MessageOf(name, absl::StatusCode::kNotFound),
                AllOf(HasSubstr(absl::StrCat("delegate '", name, "'")),
                      HasSubstr("expected able, deviceless, thrower, zeta, or "
                                "the path of a shared library")));
  }
}

TEST_F(Delegates, SayWhatRefusesThem) {
  EXPECT_EQ(MessageOf("zeta:x=1", absl::StatusCode::kInvalidArgument),
            "delegate 'zeta': option 'x': unknown");
  EXPECT_EQ(MessageOf("deviceless", absl::StatusCode::kUnavailable),
            "delegate 'deviceless': device: none");
  EXPECT_EQ(MessageOf("thrower", absl::StatusCode::kInternal),
            "delegate 'thrower': it threw no words; expected errors as "
            "absl::Status");
}

TEST(DelegateFiles, AreLoadedAndGetOptions) {
  const std::string path = Library("good");
  // The library stays loaded, so a second delegate can be created.
  for (const absl::string_view options : {"", "threads=2,path=/a/b"}) {
    const Made made = CreateDelegate(absl::StrCat(path, ":", options));
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ((*made)->info().name, absl::StrCat("idle ", options));
  }
  EXPECT_EQ((*CreateDelegate(path))->info().name, "idle ");
}

struct BadFile {
  std::string fault;
  absl::StatusCode code;
  std::string message;
};

class BadDelegateFile : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadDelegateFile, IsRefusedWithItsPathAndWhatIsWrong) {
  const std::string path = Library(GetParam().fault);
  EXPECT_THAT(MessageOf(path, GetParam().code),
              AllOf(HasSubstr(absl::StrCat("delegate file '", path, "': ")),
                    HasSubstr(GetParam().message), HasSubstr("expected ")));
}

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

INSTANTIATE_TEST_SUITE_P(
    , BadDelegateFile,
    ::testing::Values(
        BadFile{"missing", absl::StatusCode::kNotFound,
                "cannot open shared object file: No such file or directory"},
        BadFile{"without_symbol", kPrecondition,
                "has no symbol stowage_delegate_library"},
        BadFile{"null_entry", kPrecondition,
                "stowage_delegate_library returns null"},
        BadFile{"other_version", kPrecondition,
                absl::StrCat("is of version ", kDelegateVersion + 1)},
        BadFile{"null_function", kPrecondition,
                "has no function that creates a delegate"},
        BadFile{"null_delegate", absl::StatusCode::kInternal,
                "it created a null delegate"},
        BadFile{"throws", absl::StatusCode::kInternal,
                "it threw no device of that kind"},
        BadFile{"throws_a_number", absl::StatusCode::kInternal,
                "it threw something that is not a std::exception"},
        BadFile{"refuses", absl::StatusCode::kUnavailable, "device: none"}),
    [](const auto& bad) { return bad.param.fault; });

TEST(DelegateFiles, ThatAreNoLibrariesAreRefused) {
  const std::string text = ::testing::TempDir() + "/text.so";
  std::ofstream(text) << "not a library\n";
  for (const std::string& path : {text, ::testing::TempDir()}) {
    EXPECT_THAT(MessageOf(path, kPrecondition),
                AllOf(HasSubstr(path), HasSubstr("cannot be loaded"),
                      HasSubstr("expected a shared library")));
  }
}

}  // namespace
}  // namespace stowage::harness
