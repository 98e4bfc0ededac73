// SPDX-License-Identifier: Apache-2.0
#include "src/command/program_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {
namespace {

constexpr char kProgram[] = "PROGRAM";

// The words of the command line.
std::vector<std::string>& CommandLine() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

void SetProgramArguments(int argc, const char* const* argv) {
  CommandLine().assign(argv, argv + argc);
}

void AddProgram(CLI::App* verb) {
  verb->add_option(kProgram, "The program and its arguments, after --")
      ->type_name("")
      ->expected(1, -1)
      ->allow_extra_args();
}

absl::StatusOr<std::vector<std::string>> ProgramArguments(
    const CLI::App& verb) {
  const std::vector<std::string>& words = CommandLine();
  const auto mark = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> program;
  if (mark != words.end()) program.assign(mark + 1, words.end());
  if (program.empty()) {
    return absl::InvalidArgumentError(
        "no program; expected -- and a program with its arguments");
  }
  // If the first word that the parser has found is not the first word of the
  // program, there were arguments before the "--". A word in brackets is not
  // compared, since the parser splits it into several results.
  const std::vector<std::string>& parsed = verb.get_option(kProgram)->results();
  const bool is_list = program.front().front() == '[';
  if (!is_list && (parsed.empty() || parsed.front() != program.front())) {
    return absl::InvalidArgumentError(
        "arguments before --; expected the program and its arguments after --");
  }
  return program;
}

}  // namespace stowage::cli
