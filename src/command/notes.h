// SPDX-License-Identifier: Apache-2.0
// Collects notes about inputs, which users read in addition to the answer of a
// verb. A verb adds a note where it reads its input. At its end, the command
// prints all notes to standard error: one line per note, wrapped to fit the
// screen, before the lines of the verb.
#ifndef STOWAGE_SRC_COMMAND_NOTES_H_
#define STOWAGE_SRC_COMMAND_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage::cli {

// Adds the line "INPUT: NOTE" unless the same line was added before or the note
// is empty. `path` must be as the user wrote it.
void AddNote(const std::string& path, absl::string_view note);

// Records the number of tensors of a model that have an open extent. Call this
// function even if the number is 0, to record that a model was read.
void CountOpenShapes(const std::string& path, size_t tensors);

// Returns the total number of tensors with an open extent in all models that
// were read, or nullopt if no model was read. Each path is counted once.
absl::optional<size_t> OpenShapeCount();

// Records the number of events that a recording lost. Each path is counted
// once.
void CountLostEvents(const std::string& path, uint64_t events);

// Returns the total number of events that the recordings lost.
uint64_t LostEventCount();

// Returns the lines that were added, wrapped to fit the screen, and removes
// them.
std::string TakeNotes();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_NOTES_H_
