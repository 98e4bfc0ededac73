// SPDX-License-Identifier: Apache-2.0
// Output files of a command line, checked before any work is done.
//
// A command must not write two documents to one file, nor destroy a file that
// it reads, however the paths are spelled: relative or absolute, through
// symbolic or hard links, through /proc/self/fd, or for a file that is not
// there yet, through another spelling of its folder.
#ifndef STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_
#define STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace stowage::cli {

struct OutputFile {
  std::string option;  // "-o": what messages call it
  std::string path;    // empty: not asked for; "-": standard output
  // True if it contains all of the trace that it may replace. No output
  // contains a model.
  bool keeps_trace = false;
};

// Error: InvalidArgument if two outputs are one file, or if an output would
// destroy one of the inputs ("-" is standard input). Terminals and other
// character devices are not files: nothing in them can be destroyed.
absl::Status CheckOutputFiles(absl::Span<const OutputFile> outputs,
                              absl::Span<const std::string> inputs);

// The same for the files that a dump of a run into `folder` may replace.
absl::Status CheckDumpFolder(const std::string& folder,
                             absl::Span<const std::string> inputs);

// Returns whether `path` leads to where standard output goes, as /dev/stdout
// does. False for character devices.
bool IsStandardOutput(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OUTPUT_FILES_H_
