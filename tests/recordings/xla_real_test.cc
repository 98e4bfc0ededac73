// SPDX-License-Identifier: Apache-2.0
// Tests the profiles of real programs on GPUs and TPUs, row by row.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/expected_rows.h"
#include "tests/recordings/xla_writer.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using recordings::ExpectedRow;
using support::FailsWith;
using support::FilesIn;
using support::IsOk;
using support::RealDataFolder;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAreArray;

// The expected rows of one allocation of one module, without the rows that have
// no events.
struct XlaExpectedPart {
  std::string file;
  std::string allocation;
  std::vector<ExpectedRow> rows;
};

std::vector<XlaExpectedPart> ExpectedXlaPartsOf(const std::string& folder,
                                                const std::string& sample) {
  std::vector<XlaExpectedPart> parts;
  for (const std::string& path : FilesIn(folder + "/expected", ".csv")) {
    const std::string file = path.substr(path.rfind('/') + 1);
    if (!absl::StartsWith(file, absl::StrCat("xla__", sample, "__"))) continue;
    const auto rows = recordings::ReadExpected(folder, file);
    EXPECT_TRUE(rows.has_value()) << file;
    for (const ExpectedRow& row : *rows) {
      if (row.IsEmpty("first_event")) continue;
      const std::string& allocation = row.Text("allocation");
      if (parts.empty() || parts.back().file != file ||
          parts.back().allocation != allocation) {
        parts.push_back({file, allocation, {}});
      }
      parts.back().rows.push_back(row);
    }
  }
  return parts;
}

// Returns whether the expected rows belong to the module and the allocation of
// a part.
bool IsOfXlaPart(const RecordingPart& part, const XlaExpectedPart& expected) {
  const size_t slash = part.name.rfind('/');
  const std::string module = part.name.substr(0, part.name.rfind('.', slash));
  return absl::StrContains(expected.file, absl::StrCat("_", module, "_")) &&
         part.name.substr(slash + 1) ==
             absl::StrCat("allocation ", expected.allocation);
}

void CompareXlaRows(const XlaExpectedPart& expected,
                    const RecordingPart& part) {
  std::vector<std::string> rows;
  for (const ExpectedRow& row : expected.rows) {
    rows.push_back(absl::StrCat(row.Text("logical_buffer"), ": ",
                                row.Text("first_event"), "-",
                                row.Text("last_event"), " ", row.Text("size"),
                                " @", row.Text("offset")));
    EXPECT_EQ(part.file.plan.arena_size, row.Number("allocation_size"));
  }
  // The expected rows are in the order of ids, the records in the order of
  // events.
  EXPECT_THAT(xla::RowsOf(part), UnorderedElementsAreArray(rows));
}

// For every two records that are live at the same time, expects a violation if
// one of them is moved to the place of the other.
void ExpectXlaMovesAreFound(RecordingPart part) {
  const auto& records = part.file.problem.records;
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (records[j].last_task < records[i].first_task) continue;
      const size_t offset = part.file.plan.offsets[i];
      part.file.plan.offsets[i] = part.file.plan.offsets[j];
      EXPECT_TRUE(xla::ViolationIn(part))
          << part.name << ": " << i << ", " << j;
      part.file.plan.offsets[i] = offset;
    }
  }
}

std::string XlaFileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(XlaRealTest, FilesGiveTheExpectedRows) {
  const auto folder = RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const std::vector<std::string> paths = FilesIn(*folder + "/xla", ".pb");
  ASSERT_THAT(paths, Not(IsEmpty()));
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const std::string name = path.substr(path.rfind('/') + 1);
    const std::vector<XlaExpectedPart> expected =
        ExpectedXlaPartsOf(*folder, name.substr(0, name.find('.')));
    const auto recording = ReadRecording(path);
    if (expected.empty()) {
      EXPECT_THAT(recording, Not(IsOk()));
      continue;
    }
    ASSERT_THAT(recording, IsOk());
    ASSERT_EQ(recording->parts.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const RecordingPart& part = recording->parts[i];
      EXPECT_TRUE(IsOfXlaPart(part, expected[i])) << part.name;
      CompareXlaRows(expected[i], part);
      EXPECT_EQ(xla::ViolationIn(part), nullopt) << part.name;
      ExpectXlaMovesAreFound(part);
    }
    EXPECT_THAT(ParseRecording(xla::LikeText(XlaFileBytes(path)), path),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("replaced by EF BF BD")));
  }
}

}  // namespace
}  // namespace stowage
