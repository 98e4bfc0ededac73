// SPDX-License-Identifier: Apache-2.0
// Tests the reader of snapshots of PyTorch with files of real programs.
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
#include "stowage/io/read_file.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::recordings {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Returns the rows that a file of expected ones has, with the ends by one of
// the rules.
std::vector<std::string> ExpectedTorchRows(
    const std::vector<ExpectedRow>& expected, const std::string& end_column,
    uint64_t event_count) {
  std::vector<std::string> rows;
  for (const ExpectedRow& row : expected) {
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

// Returns the numbers that follow a word in the line about a file in the
// summary of what is expected.
std::string TorchSummary(const std::string& folder, const std::string& file,
                         const std::string& word) {
  std::ifstream summary(absl::StrCat(folder, "/expected/SUMMARY.txt"));
  const std::string start = absl::StrCat("torch ", file, " dev 0 ");
  for (std::string line; std::getline(summary, line);) {
    const size_t at = line.find(absl::StrCat(" ", word, " "));
    if (line.rfind(start, 0) != 0 || at == std::string::npos) continue;
    const size_t begin = at + word.size() + 2;
    return line.substr(begin, line.find(' ', begin) - begin);
  }
  ADD_FAILURE() << "no '" << word << "' of " << file;
  return "0";
}

// Compares a file with its expected rows by one of the rules of frees.
void CheckTorchFile(const std::string& bytes,
                    const std::vector<ExpectedRow>& expected,
                    uint64_t event_count, FreeRule rule, std::string* note) {
  RecordingOptions options;
  options.events.frees = rule;
  const auto recording = ParseRecording(bytes, "net.pickle", options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(recording->parts[0].name, "cuda:0");
  std::vector<std::string> rows;
  for (const auto& record : recording->parts[0].file.problem.records) {
    rows.push_back(absl::StrCat(record.first_task, ",", record.last_task + 1,
                                ",", record.tensor_size));
  }
  EXPECT_EQ(rows, ExpectedTorchRows(expected,
                                    rule == FreeRule::kRequested
                                        ? "free_requested_event"
                                        : "free_completed_event",
                                    event_count));
  *note = recording->parts[0].file.note;
}

TEST(TorchRealDataTest, RowsAreAsExpected) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const std::vector<std::string> files =
      support::FilesIn(absl::StrCat(*folder, "/torch_snapshot"), ".pickle");
  ASSERT_THAT(files, Not(IsEmpty()));
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    const std::string file = path.substr(path.rfind('/') + 1);
    const auto expected = ReadExpected(
        *folder,
        absl::StrCat("torch__", file.substr(0, file.rfind('.')), ".csv"));
    ASSERT_TRUE(expected.has_value());
    const auto bytes = ReadFile(path);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    if (std::all_of(expected->begin(), expected->end(), [](const auto& row) {
          return row.IsEmpty("alloc_event");
        })) {
      EXPECT_THAT(ParseRecording(*bytes, path).status().message(),
                  HasSubstr("torch.cuda.memory._record_memory_history()"));
      continue;
    }
    const uint64_t events = std::stoull(TorchSummary(*folder, file, "events"));
    std::string note;
    CheckTorchFile(*bytes, *expected, events, FreeRule::kRequested, &note);
    CheckTorchFile(*bytes, *expected, events, FreeRule::kCompleted, &note);
    const std::vector<std::string> unseen =
        absl::StrSplit(TorchSummary(*folder, file, "unseen_active"), '/');
    ASSERT_EQ(unseen.size(), 2U);
    const std::string clause =
        absl::StrCat(unseen[0], " blocks (", unseen[1], " bytes)");
    EXPECT_EQ(absl::StrContains(note, clause), unseen[0] != "0") << note;
  }
}

}  // namespace
}  // namespace stowage::recordings
