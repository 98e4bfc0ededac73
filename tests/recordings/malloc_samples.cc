// SPDX-License-Identifier: Apache-2.0
#include "tests/recordings/malloc_samples.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"

namespace stowage::recordings {
namespace {

// Returns the numbers for a log in the summary, as a map from their names to
// their values.
std::map<std::string, uint64_t> SummaryOf(const std::string& folder,
                                          const std::string& log) {
  std::ifstream file(folder + "/expected/SUMMARY.txt");
  std::string line;
  std::map<std::string, uint64_t> numbers;
  while (std::getline(file, line)) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() < 2 || words[0] != "malloc" || words[1] != log) continue;
    for (size_t i = 2; i + 1 < words.size(); i += 2) {
      EXPECT_TRUE(absl::SimpleAtoi(words[i + 1], &numbers[words[i]])) << line;
    }
  }
  return numbers;
}

// Returns the largest number of bytes that are live at one task.
uint64_t PeakOf(const ProblemSpec& problem) {
  std::map<size_t, int64_t> changes;
  for (const auto& record : problem.records) {
    changes[record.first_task] += static_cast<int64_t>(record.tensor_size);
    changes[record.last_task + 1] -= static_cast<int64_t>(record.tensor_size);
  }
  int64_t live = 0;
  int64_t peak = 0;
  for (const auto& change : changes) {
    live += change.second;
    peak = std::max(peak, live);
  }
  return static_cast<uint64_t>(peak);
}

// Returns the expected rows of the blocks, in the format of BlockRows.
std::vector<std::string> ExpectedBlocks(const std::vector<ExpectedRow>& blocks,
                                        uint64_t events, bool has_alignments) {
  std::vector<std::string> rows;
  for (const ExpectedRow& block : blocks) {
    if (block.Number("size") == 0) continue;
    const uint64_t upper =
        block.IsEmpty("last_event") ? events : block.Number("last_event");
    std::string row = absl::StrCat(block.Text("first_event"), ",", upper, ",",
                                   block.Text("size"));
    if (has_alignments) {
      absl::StrAppend(&row, ",", std::max<uint64_t>(1, block.Number("align")));
    }
    rows.push_back(row);
  }
  return rows;
}

void ExpectLog(const std::string& folder, const std::string& path,
               const std::string& format) {
  const std::string name = std::filesystem::path(path).filename().string();
  SCOPED_TRACE(name);
  const auto blocks =
      ReadExpected(folder, absl::StrCat("malloc__", name, ".csv"));
  std::map<std::string, uint64_t> summary = SummaryOf(folder, name);
  ASSERT_TRUE(blocks.has_value());
  ASSERT_FALSE(summary.empty());
  const auto recording = ReadRecording(path);
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, format);
  ASSERT_EQ(recording->parts.size(), 1U);
  const ProblemFile& file = recording->parts[0].file;
  EXPECT_EQ(BlockRows(file), ExpectedBlocks(*blocks, summary["events"],
                                            !file.problem.alignments.empty()));
  EXPECT_EQ(PeakOf(file.problem), summary["peak_live"]);
  const auto same =
      ReadProblemFile(path, {{}, RecordingFileFormats(), nullptr});
  ASSERT_TRUE(same.ok()) << same.status();
  EXPECT_EQ(BlockRows(*same), BlockRows(file));
}

}  // namespace

std::vector<std::string> BlockRows(const ProblemFile& file) {
  std::vector<std::string> rows;
  for (size_t i = 0; i < file.problem.records.size(); ++i) {
    const auto& record = file.problem.records[i];
    rows.push_back(absl::StrCat(record.first_task, ",", record.last_task + 1,
                                ",", record.tensor_size));
    if (!file.problem.alignments.empty()) {
      absl::StrAppend(&rows.back(), ",", file.problem.alignments[i]);
    }
  }
  return rows;
}

void ExpectRealLogs(const std::string& ending, const std::string& format) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const std::vector<std::string> paths =
      support::FilesIn(*folder + "/malloc_log", ending);
  EXPECT_FALSE(paths.empty());
  for (const std::string& path : paths) ExpectLog(*folder, path, format);
}

}  // namespace stowage::recordings
