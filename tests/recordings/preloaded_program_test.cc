// SPDX-License-Identifier: Apache-2.0
// Tests how a program is started with a preloaded library.
#include "src/recordings/preloaded_program.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::recordings {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(PreloadedProgramTest, PathsOfTheVariableHaveOneLength) {
  for (const std::string path : {"/", "/tmp/logs", "/proc/1/fd/3"}) {
    const std::string padded = PaddedPreloadPath(path);
    EXPECT_EQ(padded.size(), kPreloadPathLength);
    EXPECT_THAT(padded, EndsWith(path));
    EXPECT_EQ(padded.substr(0, padded.size() - path.size()),
              std::string(kPreloadPathLength - path.size(), '/'));
  }
}

TEST(PreloadedProgramTest, LongerPathsStayAsTheyAre) {
  const std::string path = "/" + std::string(kPreloadPathLength, 'a');
  EXPECT_EQ(PaddedPreloadPath(path), path);
}

struct BadPreloadCase {
  const char* name;
  PreloadedProgram program;
  absl::StatusCode code;
  const char* error;
};

class BadPreloadTest : public testing::TestWithParam<BadPreloadCase> {};

TEST_P(BadPreloadTest, IsNotStarted) {
  const absl::Status status = StartPreloaded(GetParam().program).status();
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadPreloadTest,
    testing::Values(BadPreloadCase{"NoProgram",
                                   {{}, "/lib/x.so", "/"},
                                   absl::StatusCode::kInvalidArgument,
                                   "no program; expected one"},
                    BadPreloadCase{"Blank",
                                   {{"true"}, "/my lib/x.so", "/"},
                                   absl::StatusCode::kInvalidArgument,
                                   "/my lib/x.so: cannot be preloaded"},
                    BadPreloadCase{"Colon",
                                   {{"true"}, "/a:b/x.so", "/"},
                                   absl::StatusCode::kInvalidArgument,
                                   "without blanks and colons"},
                    BadPreloadCase{
                        "NotFound",
                        {{"./no_such_program"}, "/lib/x.so", "/"},
                        absl::StatusCode::kNotFound,
                        "./no_such_program: not found; expected a program"},
                    BadPreloadCase{"NotExecutable",
                                   {{"/etc/passwd"}, "/lib/x.so", "/"},
                                   absl::StatusCode::kPermissionDenied,
                                   "/etc/passwd: cannot be started"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace stowage::recordings
