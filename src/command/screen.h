// SPDX-License-Identifier: Apache-2.0
// How wide text may be, and which characters and colours it may have.
#ifndef STOWAGE_SRC_COMMAND_SCREEN_H_
#define STOWAGE_SRC_COMMAND_SCREEN_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "src/command/layout.h"

namespace stowage::cli {

enum class ColorMode { kAuto, kAlways, kNever };

// --color auto|always|never
void AddColor(CLI::App* verb, ColorMode* mode);

// Columns of standard output: those of the terminal, else of the variable
// COLUMNS, else 80; at least `least`.
size_t ScreenWidth(size_t least);

// The same for text, in the characters of the locale.
TextLimits ScreenLimits();

// Text for people that fits the screen.
std::string FitScreen(absl::string_view text);

// Returns whether escape sequences are written to standard output. With kAuto
// only to a terminal, not where NO_COLOR is set and not empty, and where TERM
// is "dumb" only if CLICOLOR_FORCE is set and neither empty nor 0.
bool UsesColor(ColorMode mode);

// Returns whether the locale has another encoding than UTF-8: LC_ALL, else
// LC_CTYPE, else LANG, of those that are not empty; the C locale where none is.
bool IsAsciiLocale();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SCREEN_H_
