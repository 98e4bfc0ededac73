// SPDX-License-Identifier: Apache-2.0
// Reads models and programs that are planned as the options of programs ask
// (program_options.h).
#ifndef STOWAGE_SRC_COMMAND_PROGRAM_INPUTS_H_
#define STOWAGE_SRC_COMMAND_PROGRAM_INPUTS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {

// Returns the name of a model or program: that of its file without the ending,
// changed if it is among `names`, to which it is added.
std::string NameOfProgram(const std::string& path,
                          std::set<std::string>* names);

// Returns the problem of a model that calls functions, if it is planned as a
// program by default (ProgramAsk::nests_by_default); nullopt if it is not.
// Errors: those of harness::CpuProgramOf.
absl::StatusOr<absl::optional<ProblemFile>> ReadNested(
    absl::string_view bytes, absl::string_view name,
    const InputOptions& options);

// Returns the format of models and that of programs, in this order. What they
// read is the problem of a program.
std::vector<FileFormat> ProgramFormats(const InputOptions& options);

// Reads several models and programs as one program (--together), and appends
// what it has read to *seen. Errors: those of Model::Read and ParseProgramJson;
// InvalidArgument for other files, and for programs that cannot be planned
// together or hand on what they do not have.
absl::StatusOr<ProblemFile> ReadTogether(absl::Span<const std::string> paths,
                                         const InputOptions& options,
                                         std::vector<SeenInput>* seen);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_INPUTS_H_
