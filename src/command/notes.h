// SPDX-License-Identifier: Apache-2.0
// Collects notes about inputs. A note is shown to the user in addition to the
// answer of a verb. Each note is a line on standard error. The notes come
// before the lines of the verb and fit the screen. A verb adds a note where it
// reads its input. The command prints all notes when it ends.
#ifndef STOWAGE_SRC_COMMAND_NOTES_H_
#define STOWAGE_SRC_COMMAND_NOTES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage::cli {

// Adds the line "INPUT: NOTE" unless the line was added before or the note is
// empty. `path` must be as the user wrote it.
void AddNote(const std::string& path, absl::string_view note);

// Records how many tensors of a model have an open extent. The number 0 still
// records that a model was read.
void CountOpenShapes(const std::string& path, size_t tensors);

// Returns the total number of tensors with an open extent in all models that
// were read, or nullopt if no model was read. Each path counts once.
absl::optional<size_t> OpenShapeCount();

// Returns the lines that were added, wrapped to fit the screen, and removes
// them.
std::string TakeNotes();

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_NOTES_H_
