// SPDX-License-Identifier: Apache-2.0
// The delegate `reference` on small models in which every operator runs, and
// what it can be told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/reference/reference_run.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

constexpr size_t kInvocations = 3;

// Those that fuzzing begins with, and those that are shipped.
std::vector<std::string> SmallModels() {
  std::vector<std::string> paths =
      support::FilesIn(STOWAGE_SOURCE_DIR "/fuzz/seeds/interpreter", ".tflite");
  for (const std::string& path :
       support::FilesIn(STOWAGE_SOURCE_DIR "/data/models", ".tflite")) {
    paths.push_back(path);
  }
  return paths;
}

TEST(Reference, RunsEveryOperatorToTheSameBits) {
  size_t runs = 0;
  for (const std::string& path : SmallModels()) {
    const auto model = Model::Read(path);
    if (!model.ok()) continue;
    const auto plain = RunWith(**model, {}, {}, kInvocations);
    if (!plain.ok()) continue;  // it cannot be run
    for (const std::string& text : ReferenceTexts()) {
      SCOPED_TRACE(absl::StrCat(path, " by ", text));
      const auto run = RunWith(**model, {}, {{text, {}}}, kInvocations);
      if (plain->is_dynamic && !IsDynamicText(text)) {
        EXPECT_THAT(run, FailsWith(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("reference")));
        continue;
      }
      ASSERT_THAT(run, IsOk());
      EXPECT_EQ(run->outputs, plain->outputs);
      ASSERT_EQ(run->delegates.size(), 1U);
      EXPECT_EQ(run->delegates[0].partitions.size(), 1U);
      ++runs;
    }
  }
  EXPECT_GT(runs, 100U);
}

// Each node alone: everything goes in and comes out.
TEST(Reference, RunsEveryNodeAloneToTheSameBits) {
  for (const std::string& path : SmallModels()) {
    const auto model = Model::Read(path);
    if (!model.ok()) continue;
    const auto plain = RunWith(**model, {}, {}, kInvocations);
    if (!plain.ok()) continue;
    const std::string text =
        plain->is_dynamic ? "reference:kind=dynamic" : "reference";
    const size_t nodes = (*model)->subgraphs()[0].operators.size();
    for (size_t node = 0; node < nodes; ++node) {
      SCOPED_TRACE(absl::StrCat(path, " node ", node, " by ", text));
      ApplyOptions options;
      options.claim = std::vector<int>{static_cast<int>(node)};
      const auto run = RunWith(**model, {}, {{text, options}}, kInvocations);
      ASSERT_THAT(run, IsOk());
      EXPECT_EQ(run->outputs, plain->outputs);
    }
  }
}

TEST(Reference, RefusesOptionsThatItDoesNotHave) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_THAT(CreateDelegate("reference:threads=2"),
              FailsWith(kInvalid,
                        "delegate 'reference': option 'threads': "
                        "unknown; expected memory or kind"));
  EXPECT_THAT(CreateDelegate("reference:memory=mine"),
              FailsWith(kInvalid,
                        "delegate 'reference': option 'memory': unknown value "
                        "'mine'; expected opaque or transparent or private"));
  EXPECT_THAT(
      CreateDelegate("reference:kind=dynamic,memory=transparent"),
      FailsWith(kInvalid, HasSubstr("dynamic with memory=transparent")));
}

}  // namespace
}  // namespace stowage::harness
