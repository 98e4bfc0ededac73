// SPDX-License-Identifier: Apache-2.0
#include "src/testing/command_words.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace stowage::program {
namespace {

class Splitter {
 public:
  explicit Splitter(absl::string_view command) : rest_(command) {}

  absl::StatusOr<std::vector<std::string>> Split() {
    while (!rest_.empty()) {
      const char c = Next();
      if (c == '\'' || c == '"') {
        if (absl::Status s = ReadQuoted(c); !s.ok()) return s;
      } else if (c == '\\') {
        if (rest_.empty()) {
          return absl::InvalidArgumentError(
              "the command ends in a backslash; expected a character after it");
        }
        Add(Next());
      } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
        EndWord();
      } else {
        Add(c);
      }
    }
    EndWord();
    if (words_.empty()) {
      return absl::InvalidArgumentError(
          "the command is empty; expected a program");
    }
    return std::move(words_);
  }

 private:
  char Next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void Add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void EndWord() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  absl::Status ReadQuoted(char quote) {
    in_word_ = true;  // '' is an empty word
    while (!rest_.empty()) {
      char c = Next();
      if (c == quote) return absl::OkStatus();
      const bool escapes = quote == '"' && c == '\\' && !rest_.empty() &&
                           (rest_.front() == '"' || rest_.front() == '\\');
      if (escapes) c = Next();
      Add(c);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("the command has an unclosed ", std::string(1, quote)));
  }

  absl::string_view rest_;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitCommand(
    absl::string_view command) {
  return Splitter(command).Split();
}

std::vector<std::string> FillIn(const std::vector<std::string>& words,
                                const std::string& in, const std::string& out) {
  std::vector<std::string> filled;
  filled.reserve(words.size());
  for (const std::string& word : words) {
    filled.push_back(absl::StrReplaceAll(word, {{"{in}", in}, {"{out}", out}}));
  }
  return filled;
}

}  // namespace stowage::program
