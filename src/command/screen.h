// SPDX-License-Identifier: Apache-2.0
// Determines the width of text, and which characters and colors it may use.
#ifndef STOWAGE_SRC_COMMAND_SCREEN_H_
#define STOWAGE_SRC_COMMAND_SCREEN_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "src/command/layout.h"

namespace stowage::cli {

enum class ColorMode { kAuto, kAlways, kNever };

// Adds --color auto|always|never.
void AddColor(CLI::App* verb, ColorMode* mode);

// Returns the number of columns of the terminal if standard output is a
// terminal. Otherwise, returns the value of the environment variable COLUMNS,
// or 80 if it is not set. The result is at least `least`.
size_t ScreenWidth(size_t least);

// Returns the limits for text: the width of the screen and the characters of
// the locale.
TextLimits ScreenLimits();

// Wraps the lines of a text to fit the screen.
std::string FitScreen(absl::string_view text);

// Returns whether escape sequences may be written to standard output. With
// kAuto, this requires a terminal, and that NO_COLOR is unset or empty. If TERM
// is "dumb", this also requires that CLICOLOR_FORCE is neither empty nor 0.
bool UsesColor(ColorMode mode);

// Returns whether the locale uses an encoding other than UTF-8. The locale is
// the value of the first of the variables LC_ALL, LC_CTYPE and LANG that is not
// empty, or the C locale if all of them are empty.
bool IsAsciiLocale();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SCREEN_H_
