// SPDX-License-Identifier: Apache-2.0
// Checks the output files of a command line before any work is done, and
// delivers the file of -o and the answer about this file.
//
// A command must not write two documents to one file, and must not destroy a
// file that it reads. The check recognizes a file under every spelling of its
// path: relative or absolute, through symbolic or hard links, and through
// /proc/self/fd. For a file that does not exist yet, the check recognizes every
// spelling of its folder.
#ifndef STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_
#define STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/options.h"
#include "src/command/verb.h"

namespace stowage::cli {

struct OutputFile {
  std::string option;  // messages show this name, such as "-o"
  // The path of the file; empty if nothing is written, and "-" for standard
  // output.
  std::string path;
};

// Returns InvalidArgument if two outputs are the same file, or if an output
// would destroy one of the inputs ("-" is standard input). Does not check
// terminals and other character devices, since writing to them destroys
// nothing.
absl::Status CheckOutputFiles(absl::Span<const OutputFile> outputs,
                              absl::Span<const std::string> inputs);

// Returns InvalidArgument if dumping a run into `folder` could replace one of
// the inputs.
absl::Status CheckDumpFolder(const std::string& folder,
                             absl::Span<const std::string> inputs);

// Returns whether `path` refers to the file to which standard output goes, as
// /dev/stdout does. Returns false for character devices.
bool IsStandardOutput(const std::string& path);

// Writes `content` to the file `output`, or to standard output if `output` is
// "-" or empty. Always writes the answer to standard error as text. If `format`
// is kJson, also writes the answer, but never `content`, to standard output as
// JSON.
Outcome DeliverFile(const std::string& output, std::string content,
                    const Answer& answer, Format format = Format::kText);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_
