// SPDX-License-Identifier: Apache-2.0
// Tests the reader of PyTorch snapshots with files of real programs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::recordings {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Returns the expected rows of a file.
std::vector<ExpectedRow> TorchRowsOf(const std::string& folder,
                                     const std::string& file) {
  auto rows = ReadExpected(
      folder, absl::StrCat("torch__", file.substr(0, file.rfind('.')), ".csv"));
  EXPECT_TRUE(rows.has_value());
  return rows.value_or(std::vector<ExpectedRow>());
}

bool HasTorchAllocs(const std::string& folder, const std::string& file) {
  const std::vector<ExpectedRow> rows = TorchRowsOf(folder, file);
  return std::any_of(rows.begin(), rows.end(), [](const ExpectedRow& row) {
    return !row.IsEmpty("alloc_event");
  });
}

// Returns the expected rows of a device. `end_column` selects the rule that
// determines where rows end.
std::vector<std::string> ExpectedTorchRows(
    const std::vector<ExpectedRow>& expected, const std::string& device,
    const std::string& end_column, uint64_t event_count) {
  std::vector<std::string> rows;
  for (const ExpectedRow& row : expected) {
    if (row.Text("device") != device) continue;
    const uint64_t lower =
        row.IsEmpty("alloc_event") ? 0 : row.Number("alloc_event");
    const std::string column =
        row.IsEmpty(end_column) ? "free_completed_event" : end_column;
    const uint64_t upper =
        row.IsEmpty(column) ? event_count : row.Number(column);
    if (upper <= lower) continue;
    rows.push_back(absl::StrCat(lower, ",", upper, ",", row.Number("size")));
  }
  return rows;
}

// Returns the numbers that follow `word` in the line about `device` in the
// summary of the expected rows.
std::string TorchSummary(const std::string& folder, const std::string& file,
                         const std::string& device, const std::string& word) {
  std::ifstream summary(absl::StrCat(folder, "/expected/SUMMARY.txt"));
  const std::string start = absl::StrCat("torch ", file, " dev ", device, " ");
  for (std::string line; std::getline(summary, line);) {
    const size_t at = line.find(absl::StrCat(" ", word, " "));
    if (line.rfind(start, 0) != 0 || at == std::string::npos) continue;
    const size_t begin = at + word.size() + 2;
    return line.substr(begin, line.find(' ', begin) - begin);
  }
  ADD_FAILURE() << "no '" << word << "' of " << file;
  return "0";
}

// Compares a part, which was read with the rule `rule` for frees, with its
// expected rows.
void CheckTorchPart(const RecordingPart& part, const std::string& folder,
                    const std::string& file, FreeRule rule) {
  const std::string device = part.name.substr(part.name.find(':') + 1);
  std::vector<std::string> rows;
  for (const auto& record : part.file.problem.records) {
    rows.push_back(absl::StrCat(record.first_task, ",", record.last_task + 1,
                                ",", record.tensor_size));
  }
  EXPECT_EQ(rows,
            ExpectedTorchRows(
                TorchRowsOf(folder, file), device,
                rule == FreeRule::kRequested ? "free_requested_event"
                                             : "free_completed_event",
                std::stoull(TorchSummary(folder, file, device, "events"))));
  const std::vector<std::string> unseen =
      absl::StrSplit(TorchSummary(folder, file, device, "unseen_active"), '/');
  ASSERT_EQ(unseen.size(), 2U);
  const std::string& note = part.file.note;
  const std::string clause =
      absl::StrCat(unseen[0], unseen[0] == "1" ? " block (" : " blocks (",
                   unseen[1], " bytes) that are live in the segments");
  EXPECT_EQ(absl::StrContains(note, clause), unseen[0] != "0") << note;
}

TEST(TorchSamplesTest, RowsAreAsExpected) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const std::vector<std::string> files =
      support::FilesIn(absl::StrCat(*folder, "/torch_snapshot"), ".pickle");
  ASSERT_THAT(files, Not(IsEmpty()));
  size_t parts = 0;
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const std::string file = path.substr(path.rfind('/') + 1);
    for (const FreeRule rule : {FreeRule::kRequested, FreeRule::kCompleted}) {
      RecordingOptions options;
      options.events.frees = rule;
      const auto recording = ReadRecording(path, options);
      // Some of the snapshots were made without enabling the history.
      if (!HasTorchAllocs(*folder, file)) {
        EXPECT_THAT(recording.status().message(),
                    HasSubstr("torch.cuda.memory._record_memory_history()"));
        continue;
      }
      ASSERT_TRUE(recording.ok()) << recording.status();
      for (const RecordingPart& part : recording->parts) {
        CheckTorchPart(part, *folder, file, rule);
        ++parts;
      }
    }
  }
  EXPECT_GT(parts, 0U);
}

}  // namespace
}  // namespace stowage::recordings
