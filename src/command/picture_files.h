// SPDX-License-Identifier: Apache-2.0
// Writes the pictures of a plan: the files of --html, --svg and --perfetto. The
// verbs write the plan file separately.
#ifndef STOWAGE_SRC_COMMAND_PICTURE_FILES_H_
#define STOWAGE_SRC_COMMAND_PICTURE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "src/command/event_file.h"
#include "src/command/output_files.h"
#include "src/command/svg_file.h"
#include "stowage/explain/plan_view.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

// The paths of the files. The path of a file that is not requested is empty.
struct PictureFiles {
  std::string html;
  EventFile events;
  SvgArgs svg;
};

void AddPictureFiles(CLI::App* verb, PictureFiles* files);

bool IsAnyAskedFor(const PictureFiles& files);

// Returns InvalidArgument for a requested picture that cannot be drawn.
absl::Status CheckPictureFiles(const PictureFiles& files);

// Returns the files in the form that CheckOutputFiles expects.
std::vector<OutputFile> OutputsOf(const PictureFiles& files);

// Writes the requested files, each either completely or not at all. Returns the
// first error.
absl::Status WritePictureFiles(const PictureFiles& files,
                               const views::PlanView& plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PICTURE_FILES_H_
