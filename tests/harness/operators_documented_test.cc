// SPDX-License-Identifier: Apache-2.0
// Tests that the table in docs/operators.md lists all operators of the library.
// A missing row is reported but does not fail the test, since ./dev generate
// writes it.
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "stowage/harness/operator.h"
#include "tests/support/generated_file.h"

namespace stowage::harness {
namespace {

constexpr char kPage[] = STOWAGE_SOURCE_DIR "/docs/operators.md";
constexpr char kRow[] = "| `";

std::string RowOf(const OperatorRegistration& op) {
  const std::string last =
      op.min_version == op.max_version ? "" : absl::StrCat("-", op.max_version);
  return absl::StrCat(kRow, op.name, "`", op.is_custom ? " (custom)" : "",
                      " | ", op.min_version, last, " | ",
                      op.in_place == InPlace::kNever ? "" : "yes", " | ",
                      op.summary, " |");
}

// Returns the operator that a row describes, or an empty string if the line is
// not a row.
std::string NameIn(const std::string& line) {
  if (line.rfind(kRow, 0) != 0) return "";
  const size_t begin = sizeof(kRow) - 1;
  return line.substr(begin, line.find('`', begin) - begin);
}

// Returns the row of each operator. The keys are the operator names in lower
// case.
std::map<std::string, std::string> ExpectedRows() {
  std::map<std::string, std::string> rows;
  const OperatorResolver resolver = BuiltinOperators();
  for (const auto& [key, op] : resolver.all()) {
    rows[absl::AsciiStrToLower(op.name)] = RowOf(op);
  }
  return rows;
}

// Returns the page with its rows replaced by `rows`.
std::string PageWith(const std::map<std::string, std::string>& rows) {
  std::stringstream page(ReadGeneratedFile(kPage));
  std::string result;
  bool has_rows = false;
  for (std::string line; std::getline(page, line);) {
    if (NameIn(line).empty()) {
      absl::StrAppend(&result, line, "\n");
    } else if (!std::exchange(has_rows, true)) {
      for (const auto& [name, row] : rows) absl::StrAppend(&result, row, "\n");
    }
  }
  return result;
}

TEST(OperatorsPage, HasTheRowsOfOperators) {
  const std::map<std::string, std::string> expected = ExpectedRows();
  std::map<std::string, std::string> rows;
  std::vector<std::string> missing;
  std::stringstream page(ReadGeneratedFile(kPage));
  for (std::string line; std::getline(page, line);) {
    const std::string name = absl::AsciiStrToLower(NameIn(line));
    if (!name.empty()) rows[name] = line;
  }
  for (const auto& [name, row] : expected) {
    if (rows.insert({name, row}).second) missing.push_back(name);
  }
  if (IsGenerating()) {
    ExpectGeneratedFile(kPage, PageWith(expected));
    return;
  }
  EXPECT_EQ(rows, expected) << kPage << ": run ./dev generate";
  if (!missing.empty()) {
    GTEST_SKIP() << kPage << ": no rows for " << absl::StrJoin(missing, ", ")
                 << "; run ./dev generate";
  }
}

TEST(OperatorsPage, SaysWhatEachOperatorComputes) {
  const OperatorResolver resolver = BuiltinOperators();
  for (const auto& [key, op] : resolver.all()) {
    EXPECT_FALSE(op.summary.empty()) << op.name;
  }
}

}  // namespace
}  // namespace stowage::harness
