// SPDX-License-Identifier: Apache-2.0
// Replays texts that contain commands and their answers.
#ifndef STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_
#define STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tests/command/command.h"

namespace stowage::cli {

// Returns the text with all times replaced by a mark.
std::string MaskTimes(const std::string& text);

// ReplayTranscript and ReplayMarkdown return the text with current answers:
// each line that starts with "$ " is run in `folder`, and its answer replaces
// the lines after it.
//
// In a transcript, an answer ends with "[exit CODE]", and lines of standard
// error start with "! ".
std::string ReplayTranscript(const CommandFolder& folder,
                             absl::string_view text);
// In Markdown, an answer ends with the code block that contains it.
std::string ReplayMarkdown(const CommandFolder& folder, absl::string_view text);

// Expects that the result of `replay` equals the content of the file at `path`,
// except for times. If the variable STOWAGE_UPDATE_TRANSCRIPTS is set and they
// differ, overwrites the file with the result.
void ExpectReplay(const CommandFolder& folder, const std::string& path,
                  std::string (*replay)(const CommandFolder&,
                                        absl::string_view));

}  // namespace stowage::cli

#endif  // STOWAGE_TESTS_COMMAND_TRANSCRIPT_H_
