// SPDX-License-Identifier: Apache-2.0
#include "tests/command/transcript.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <regex>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

// Returns `text` with `prefix` added before each line.
std::string Prefixed(absl::string_view text, absl::string_view prefix) {
  if (text.empty()) return "";
  const bool ends = absl::ConsumeSuffix(&text, "\n");
  std::string prefixed;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&prefixed, prefix, line, "\n");
  }
  return ends ? prefixed : absl::StrCat(prefixed, "[no line end]\n");
}

// Replaces the answer to each command in `text` by the result of `answer`.
// `is_end` returns whether a line ends an answer. `keeps_end` determines
// whether such a line is kept.
std::string Replay(absl::string_view text,
                   const std::function<std::string(std::string)>& answer,
                   const std::function<bool(absl::string_view)>& is_end,
                   bool keeps_end) {
  std::string now;
  bool in_answer = false;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "$ ")) {
      absl::StrAppend(&now, line, "\n", answer(std::string(line.substr(2))));
      in_answer = true;
      continue;
    }
    const bool ends = in_answer && is_end(line);
    if (!in_answer || (ends && keeps_end)) absl::StrAppend(&now, line, "\n");
    if (ends) in_answer = false;
  }
  // Removes the newline that was added after the last line.
  if (!now.empty()) now.pop_back();
  return now;
}

}  // namespace

std::string MaskTimes(const std::string& text) {
  static const std::regex json(
      R"re("(\w+_micros|seconds)":(\[[^\]]*\]|[0-9.e+-]+))re");
  static const std::regex words(R"( +[0-9][0-9.]* (us|ms|s)\b)");
  static const std::regex elapsed("Elapsed time [0-9.]+s");
  const std::string masked = std::regex_replace(
      std::regex_replace(text, json, R"("$1":TIME)"), words, " TIME");
  return std::regex_replace(masked, elapsed, "Elapsed time TIME");
}

std::string ReplayTranscript(const CommandFolder& folder,
                             absl::string_view text) {
  const auto answer = [&folder](const std::string& command) {
    const CommandResult result = folder.Run(command);
    return absl::StrCat(Prefixed(result.out, ""), Prefixed(result.err, "! "),
                        "[exit ", result.exit_code, "]\n");
  };
  const auto is_end = [](absl::string_view line) {
    return absl::StartsWith(line, "[exit ");
  };
  return MaskTimes(Replay(text, answer, is_end, /*keeps_end=*/false));
}

std::string ReplayMarkdown(const CommandFolder& folder,
                           absl::string_view text) {
  const auto answer = [&folder](const std::string& command) {
    const CommandResult result = folder.Run(command);
    return result.out + result.err;
  };
  const auto is_end = [](absl::string_view line) {
    return absl::StartsWith(line, "```");
  };
  return Replay(text, answer, is_end, /*keeps_end=*/true);
}

void ExpectReplay(const CommandFolder& folder, const std::string& path,
                  std::string (*replay)(const CommandFolder&,
                                        absl::string_view)) {
  const std::string before = ReadWholeFile(path);
  const std::string now = replay(folder, before);
  EXPECT_TRUE(absl::StrContains(now, "\n$ ") || absl::StartsWith(now, "$ "))
      << path << ": no command";
  const bool same = MaskTimes(now) == MaskTimes(before);
  if (!same && std::getenv("STOWAGE_UPDATE_TRANSCRIPTS") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  EXPECT_EQ(MaskTimes(now), MaskTimes(before)) << path;
}

}  // namespace stowage::cli
