// SPDX-License-Identifier: Apache-2.0
// Reads models and programs, and applies the options of program_options.h.
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

// Returns a name for a model or program: the name of its file without the
// extension. If this name is already in `names`, appends a number. Adds the
// name to `names`.
std::string NameOfProgram(const std::string& path,
                          std::set<std::string>* names);

// Returns the problem of a model that calls functions, if such models are
// planned as programs by default (ProgramAsk::nests_by_default). Returns
// nullopt for a model that is not planned as a program. Errors: those of
// harness::CpuProgramOf.
absl::StatusOr<absl::optional<ProblemFile>> ReadNested(
    absl::string_view bytes, absl::string_view name,
    const InputOptions& options);

// Returns the file format of models and the file format of programs, in this
// order. Both read the problem of a program.
std::vector<FileFormat> ProgramFormats(const InputOptions& options);

// Reads several models and programs as one program (--together), and appends
// each input that it reads to *seen. Errors: those of Model::Read and
// ParseProgramJson; InvalidArgument for a file of another kind, for programs
// that cannot be planned together, and for an output or input of --hand that
// does not exist.
absl::StatusOr<ProblemFile> ReadTogether(absl::Span<const std::string> paths,
                                         const InputOptions& options,
                                         std::vector<SeenInput>* seen);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_INPUTS_H_
