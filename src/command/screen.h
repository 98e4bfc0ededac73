// SPDX-License-Identifier: Apache-2.0
// Determines how wide text may be, and which characters and colours it may use.
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
// terminal. Otherwise returns the value of the variable COLUMNS or, if it is
// not set, 80. The result is at least `least`.
size_t ScreenWidth(size_t least);

// Returns the limits for text: the width of the screen and the characters of
// the locale.
TextLimits ScreenLimits();

// Wraps the lines of a text to fit the screen.
std::string FitScreen(absl::string_view text);

// Returns whether to write escape sequences to standard output. With kAuto,
// they are written only to a terminal, and only if NO_COLOR is unset or empty.
// If TERM is "dumb", CLICOLOR_FORCE must also be set to a value that is neither
// empty nor 0.
bool UsesColor(ColorMode mode);

// Returns whether the locale uses an encoding other than UTF-8. The variables
// LC_ALL, LC_CTYPE and LANG are read in this order, and the first one that is
// not empty names the locale. If all are empty, it is the C locale.
bool IsAsciiLocale();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_SCREEN_H_
