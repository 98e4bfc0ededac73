// SPDX-License-Identifier: Apache-2.0
// Collects notes about an input that a user should see besides the answer of a
// verb. Each note is a line on standard error. The notes come before the lines
// of the verb and fit the screen. A verb adds a note where it reads its input.
// The command prints all notes when it ends.
#ifndef STOWAGE_SRC_COMMAND_NOTES_H_
#define STOWAGE_SRC_COMMAND_NOTES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Adds the line "INPUT: NOTE" unless the line was added before or the note is
// empty. `path` must be as the user wrote it.
void AddNote(const std::string& path, absl::string_view note);

// Returns the lines that were added, wrapped to fit the screen, and removes
// them.
std::string TakeNotes();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_NOTES_H_
