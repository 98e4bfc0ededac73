// SPDX-License-Identifier: Apache-2.0
// Tests that comments and documents use the terms of the field. Fails if a word
// that was once replaced by a better one is used again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/house/project_files.h"

namespace stowage::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Word {
  absl::string_view not_this;
  absl::string_view but;
};

constexpr Word kGlossary[] = {
    {"knob", "parameter"},
    {"knobs", "parameters"},
    {"lodger", "spill candidate"},
    {"lodgers", "spill candidates"},
    {"for ever", "never freed"},
    {"alive at", "live at"},
    {"dies", "ends"},
    {"yard", "milliseconds, or a ratio"},
    {"yards", "milliseconds, or a ratio"},
    {"tower", "support chain"},
    {"towers", "support chains"},
    {"bodies", "rigid groups"},
    {"hulls", "bounding boxes"},
    {"judge", "check"},
    {"judges", "checks"},
    {"judged", "checked"},
};

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool HasWord(absl::string_view text, absl::string_view word) {
  for (size_t at = text.find(word); at != absl::string_view::npos;
       at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordCharacter(text[at - 1])) &&
        (end == text.size() || !IsWordCharacter(text[end]))) {
      return true;
    }
  }
  return false;
}

// Returns the comment in a line of C or C++, without its slashes. Returns an
// empty string if the line has no comment.
std::string CommentOf(absl::string_view line) {
  char quote = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (quote != 0 && line[i] == '\\') {
      ++i;
    } else if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '/' && line[i + 1] == '/') {
      return std::string(line.substr(i + 2));
    }
  }
  return "";
}

// Returns the prose in a line of a document, which is all of the line except
// its code.
std::string ProseOf(absl::string_view line) {
  std::string prose;
  bool is_code = false;
  for (const absl::string_view piece : absl::StrSplit(line, '`')) {
    if (!is_code) absl::StrAppend(&prose, piece, " ");
    is_code = !is_code;
  }
  return prose;
}

// Words that turn a comment into half a sentence if they begin it.
constexpr Word kBeginnings[] = {
    {"Whether", "Returns whether"},
    {"Of", "a subject and a verb"},
};

// Returns a message for each word in a file that must be replaced.
std::vector<std::string> WordOffences(absl::string_view path,
                                      absl::string_view content) {
  std::vector<std::string> offences;
  const bool is_document = absl::EndsWith(path, ".md");
  bool is_in_fence = false;
  bool follows_comment = false;
  size_t number = 0;
  for (const absl::string_view line : absl::StrSplit(content, '\n')) {
    const std::string place = absl::StrCat(path, ":", ++number, ": ");
    if (is_document && absl::StartsWith(line, "```")) {
      is_in_fence = !is_in_fence;
    }
    if (is_in_fence) continue;
    const std::string text = is_document ? ProseOf(line) : CommentOf(line);
    const std::string lower = absl::AsciiStrToLower(text);
    for (const Word& word : kGlossary) {
      if (HasWord(lower, word.not_this)) {
        offences.push_back(
            absl::StrCat(place, "'", word.not_this, "'; expected ", word.but));
      }
    }
    const bool is_comment =
        absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "//");
    for (const Word& word : kBeginnings) {
      if (!is_document && is_comment && !follows_comment &&
          absl::StartsWith(text, absl::StrCat(" ", word.not_this, " "))) {
        offences.push_back(
            absl::StrCat(place, "'", word.not_this, "'; expected ", word.but));
      }
    }
    follows_comment = is_comment;
  }
  return offences;
}

TEST(Glossary, HoldsInEveryCommentAndDocument) {
  size_t files = 0;
  for (const std::string& path : ProjectFiles(STOWAGE_SOURCE_DIR)) {
    const bool has_words =
        IsSource(path) || absl::EndsWith(path, ".c") ||
        (absl::EndsWith(path, ".md") && !absl::StrContains(path, "CHANGELOG"));
    if (!has_words) continue;
    EXPECT_THAT(WordOffences(path, ReadFileOrDie(absl::StrCat(
                                       STOWAGE_SOURCE_DIR, "/", path))),
                IsEmpty());
    ++files;
  }
  EXPECT_GT(files, 100u) << "the test does not see the tree";
}

TEST(Glossary, SeesCommentsAndProseAlone) {
  EXPECT_THAT(WordOffences("a.cc",
                           "int knobs = 0;  // The KNOBS of a family.\n"
                           "f(\"knobs // yards\");  // doorknobs\n"
                           "// Whether it is so.\n"
                           "// Returns\n"
                           "// Whether it is so.\n"),
              ElementsAre("a.cc:1: 'knobs'; expected parameters",
                          "a.cc:3: 'Whether'; expected Returns whether"));
  EXPECT_THAT(WordOffences("a.md",
                           "`knobs` of a yard\n"
                           "```\nyards\n```\nfor ever\n"),
              ElementsAre("a.md:1: 'yard'; expected milliseconds, or a ratio",
                          "a.md:5: 'for ever'; expected never freed"));
}

}  // namespace
}  // namespace stowage::house
