// SPDX-License-Identifier: Apache-2.0
// Files that show a plan, beside the plan file: --html, --svg, --perfetto.
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

// Paths; empty for what is not asked for.
struct PictureFiles {
  std::string html;
  EventFile events;
  SvgArgs svg;
};

void AddPictureFiles(CLI::App* verb, PictureFiles* files);

bool IsAnyAskedFor(const PictureFiles& files);

// Error: InvalidArgument for a picture that cannot be made.
absl::Status CheckPictureFiles(const PictureFiles& files);

// For CheckOutputFiles.
std::vector<OutputFile> OutputsOf(const PictureFiles& files);

// Writes those that are asked for, each whole or not at all. Error: the first.
absl::Status WritePictureFiles(const PictureFiles& files,
                               const views::PlanView& plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PICTURE_FILES_H_
