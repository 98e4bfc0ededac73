// SPDX-License-Identifier: Apache-2.0
#include "tests/recordings/expected_rows.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace stowage::recordings {
namespace {

// Splits a line at the commas outside quotes.
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

const std::string& ExpectedRow::Text(const std::string& column) const {
  static const std::string empty;
  const auto found = cells_.find(column);
  if (found != cells_.end()) return found->second;
  ADD_FAILURE() << "no column " << column;
  return empty;
}

uint64_t ExpectedRow::Number(const std::string& column) const {
  uint64_t number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(Text(column), &number))
      << column << ": " << Text(column);
  return number;
}

absl::optional<std::vector<ExpectedRow>> ReadExpected(const std::string& folder,
                                                      const std::string& name) {
  std::ifstream file(absl::StrCat(folder, "/expected/", name));
  std::string line;
  if (!std::getline(file, line)) return absl::nullopt;
  const std::vector<std::string> header = CellsOf(line);
  std::vector<ExpectedRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = CellsOf(line);
    EXPECT_EQ(cells.size(), header.size()) << name << ": " << line;
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < std::min(cells.size(), header.size()); ++i) {
      row.emplace(header[i], cells[i]);
    }
    rows.emplace_back(std::move(row));
  }
  return rows;
}

}  // namespace stowage::recordings
