// SPDX-License-Identifier: Apache-2.0
// Notes on what users should know of an input beside the answer of a verb: each
// is one line on standard error, before those of the verb. A verb adds a note
// where it reads its input; the command prints all of them at its end.
#ifndef STOWAGE_SRC_COMMAND_NOTES_H_
#define STOWAGE_SRC_COMMAND_NOTES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Adds the line "INPUT: NOTE" unless it is there already; nothing for an empty
// note. `path` is as the user wrote it.
void AddNote(const std::string& path, absl::string_view note);

// Returns the lines that were added, and forgets them.
std::string TakeNotes();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_NOTES_H_
