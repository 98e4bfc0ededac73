// SPDX-License-Identifier: Apache-2.0
#include "src/command/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "src/command/layout.h"
#include "src/command/options.h"

namespace stowage::cli {
namespace {

constexpr size_t kDefaultColumns = 80;
// The maximum width of text, since no screen is wider.
constexpr size_t kMaxColumns = 4096;

// Returns the value of an environment variable, or an empty string if it is not
// set.
std::string Variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the command sets no variables
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void AddColor(CLI::App* verb, ColorMode* mode) {
  AddChoice(verb, "--color",
            {{"auto", ColorMode::kAuto},
             {"always", ColorMode::kAlways},
             {"never", ColorMode::kNever}},
            "Use colours on terminals unless NO_COLOR is set (auto, the "
            "default), always, or never",
            mode);
}

size_t ScreenWidth(size_t least) {
  winsize size = {};
  size_t columns = 0;
  if (isatty(STDOUT_FILENO) != 0 &&
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
  }
  if (columns == 0 && !absl::SimpleAtoi(Variable("COLUMNS"), &columns)) {
    columns = 0;
  }
  if (columns == 0) columns = kDefaultColumns;
  return std::clamp(columns, least, kMaxColumns);
}

TextLimits ScreenLimits() {
  return {ScreenWidth(kLeastTextWidth), IsAsciiLocale()};
}

std::string FitScreen(absl::string_view text) {
  return FitLines(text, ScreenLimits().width);
}

bool UsesColor(ColorMode mode) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  if (isatty(STDOUT_FILENO) == 0 || !Variable("NO_COLOR").empty()) return false;
  const std::string force = Variable("CLICOLOR_FORCE");
  const bool is_forced = !force.empty() && force != "0";
  return is_forced || Variable("TERM") != "dumb";
}

bool IsAsciiLocale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = absl::AsciiStrToLower(Variable(name));
    if (locale.empty()) continue;
    return !absl::StrContains(locale, "utf-8") &&
           !absl::StrContains(locale, "utf8");
  }
  return true;
}

}  // namespace stowage::cli
