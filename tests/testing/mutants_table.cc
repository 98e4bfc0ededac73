// SPDX-License-Identifier: Apache-2.0
#include "tests/testing/mutants_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace stowage::testing {
namespace {

constexpr char kPage[] = STOWAGE_SOURCE_DIR "/docs/mutants.md";

std::string TextOf(const Section& section) {
  const bool is_shrunk = !section.rows.front().smallest.empty();
  std::string text = absl::StrCat(
      "## ", section.title, "\n\n| mutant | bug | caught by | ", section.unit,
      is_shrunk ? " | smallest trace |\n|---|---|---|--:|---|\n"
                : " |\n|---|---|---|--:|\n");
  for (const Caught& row : section.rows) {
    absl::StrAppend(&text, "| `", row.name, "` | ", row.bug, " | ", row.by,
                    " | ", row.after,
                    is_shrunk ? absl::StrCat(" | ", row.smallest) : "", " |\n");
  }
  return text;
}

}  // namespace

void ExpectCaughtAsDocumented(const Section& section) {
  std::set<std::string> names;
  for (const Caught& caught : section.rows) {
    EXPECT_NE(caught.by, "") << caught.name << ": " << caught.bug;
    EXPECT_TRUE(names.insert(caught.name).second) << caught.name;
  }
  std::ifstream file(kPage, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  const size_t begin = page.find(absl::StrCat("## ", section.title, "\n"));
  ASSERT_NE(begin, std::string::npos) << kPage << ": no " << section.title;
  // The section ends at the blank line before the next section or at the end of
  // the page.
  const size_t end = std::min(page.find("\n## ", begin), page.size());
  if (std::getenv("STOWAGE_UPDATE_MUTANTS") == nullptr) {
    EXPECT_EQ(page.substr(begin, end - begin), TextOf(section))
        << "to update " << kPage << ", set STOWAGE_UPDATE_MUTANTS";
    return;
  }
  page.replace(begin, end - begin, TextOf(section));
  std::ofstream(kPage, std::ios::binary) << page;
}

}  // namespace stowage::testing
