// SPDX-License-Identifier: Apache-2.0
// Tests plans of real models. Some models contain a plan, which may be sound or
// unsound. For the other models, the library makes the plans.

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/solution.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using support::FilesIn;
using support::RealDataFolder;

// Holds a line of the list of models.
struct Listed {
  std::string file;
  bool is_accepted = false;
  size_t head_bytes = 0;
};

std::vector<Listed> ReadList(const std::string& folder) {
  std::vector<Listed> list;
  std::ifstream file(absl::StrCat(folder, "/models/MANIFEST.tsv"));
  std::string line;
  std::getline(file, line);  // titles
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() < 5) continue;
    Listed& model = list.emplace_back();
    model.file = absl::StrCat(folder, "/models/", cells[0]);
    model.is_accepted = cells[3] == "accept";
    if (model.is_accepted) {
      EXPECT_TRUE(absl::SimpleAtoi(cells[4], &model.head_bytes)) << line;
    }
  }
  return list;
}

// Returns the size of the head in bytes if it follows the plan in the file, or
// nothing if the plan is refused.
absl::optional<size_t> HeadOf(const std::string& path) {
  const auto model = Model::Read(path);
  if (!model.ok()) return absl::nullopt;
  const auto plan = ReadOfflinePlan((*model)->bytes(), path);
  if (!plan.ok()) return absl::nullopt;
  const auto verdict = CheckOfflinePlan(**model, *plan);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return verdict.ok() ? verdict->head_bytes : absl::nullopt;
}

TEST(OfflineModelsTest, VerdictsAndHeadsAreThoseListed) {
  const absl::optional<std::string> micro = RealDataFolder("STOWAGE_MICRO");
  if (!micro) GTEST_SKIP() << "STOWAGE_MICRO is not set";
  const std::vector<Listed> list = ReadList(*micro);
  EXPECT_GE(list.size(), 70u);
  for (const Listed& model : list) {
    SCOPED_TRACE(model.file);
    const absl::optional<size_t> head = HeadOf(model.file);
    EXPECT_EQ(head.has_value(), model.is_accepted);
    EXPECT_EQ(head.value_or(0), model.head_bytes);
  }
}

TEST(OfflineModelsTest, HonouredPlansAreInTheTrace) {
  const absl::optional<std::string> micro = RealDataFolder("STOWAGE_MICRO");
  if (!micro) GTEST_SKIP() << "STOWAGE_MICRO is not set";
  for (const Listed& model : ReadList(*micro)) {
    SCOPED_TRACE(model.file);
    ModelTraceOptions options;
    options.honour_offline_plan = true;
    const absl::StatusOr<ModelTrace> trace = ReadModelTrace(
        model.file, [&](absl::string_view bytes, absl::string_view name) {
          return ParseMicroTrace(bytes, name, options);
        });
    EXPECT_EQ(trace.ok(), model.is_accepted);
  }
}

TEST(OfflineModelsTest, WrittenPlansAreOptimal) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const std::string& path : FilesIn(*models, ".tflite")) {
    SCOPED_TRACE(path);
    const auto model = Model::Read(path);
    ASSERT_TRUE(model.ok()) << model.status();
    const auto planning = PlanOffline(**model, "optimal");
    ASSERT_TRUE(planning.ok()) << planning.status();
    EXPECT_EQ(planning->solution.status, SolutionStatus::kOptimal);
    EXPECT_EQ(planning->head_bytes, planning->solution.total_size);
    const absl::string_view old = (*model)->bytes();
    const auto file = AddOfflinePlan(old, path, planning->plan);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(absl::EndsWith(*file, old));
    EXPECT_EQ(StripOfflinePlan(*file, path).value(), old);
    const auto read = Model::Parse(*file, path);
    ASSERT_TRUE(read.ok()) << read.status();
    const auto verdict =
        CheckOfflinePlan(**read, ReadOfflinePlan(*file, path).value());
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_EQ(verdict->head_bytes, planning->head_bytes);
  }
}

}  // namespace
}  // namespace stowage
