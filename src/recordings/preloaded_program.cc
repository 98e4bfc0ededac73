// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/preloaded_program.h"

#include <spawn.h>
#include <sys/personality.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

constexpr unsigned int kAskPersonality = 0xFFFFFFFF;
constexpr string_view kPreloadVariable = "LD_PRELOAD";

bool IsSetting(string_view setting, string_view variable) {
  return setting.size() > variable.size() &&
         absl::StartsWith(setting, variable) && setting[variable.size()] == '=';
}

// Returns the environment of the program as a list of settings NAME=VALUE.
std::vector<std::string> PreloadedEnvironment(const PreloadedProgram& program) {
  std::vector<std::string> settings;
  std::string libraries = program.library;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const string_view setting = *entry;
    if (IsSetting(setting, kPreloadVariable)) {
      const string_view others = setting.substr(kPreloadVariable.size() + 1);
      if (!others.empty()) absl::StrAppend(&libraries, ":", others);
    } else if (!IsSetting(setting, kPreloadedVariable)) {
      settings.emplace_back(setting);
    }
  }
  settings.push_back(absl::StrCat(kPreloadVariable, "=", libraries));
  settings.push_back(
      absl::StrCat(kPreloadedVariable, "=", PaddedPreloadPath(program.path)));
  return settings;
}

std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts->size() + 1);
  for (std::string& text : *texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Makes the system map memory for programs at addresses that do not change from
// run to run, because allocations may depend on addresses: for example, GCC has
// a table for each 16 MiB in which it has memory. Returns the previous setting,
// or -1 if a sandbox does not allow the change. Most programs behave the same
// without the change.
int FixAddresses() {
  const int before = personality(kAskPersonality);
  if (before < 0) return -1;
  const auto flags = static_cast<unsigned int>(before) | ADDR_NO_RANDOMIZE;
  return personality(flags) < 0 ? -1 : before;
}

}  // namespace

std::string PaddedPreloadPath(const std::string& path) {
  const size_t length = std::max(path.size(), kPreloadPathLength);
  return std::string(length - path.size(), '/') + path;
}

StatusOr<pid_t> StartPreloaded(const PreloadedProgram& program) {
  if (program.command.empty()) {
    return absl::InvalidArgumentError("no program; expected one");
  }
  if (program.library.find_first_of(" \t\n:") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(program.library,
                     ": cannot be preloaded; expected a path without blanks "
                     "and colons"));
  }
  std::vector<std::string> settings = PreloadedEnvironment(program);
  std::vector<std::string> arguments = program.command;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // This process itself ignores the signal. Without this reset, programs that
  // it executes would ignore the signal as well.
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  // The started program inherits the fixed addresses from this process.
  const int personality_before = FixAddresses();
  const int error =
      posix_spawnp(&process, arguments[0].c_str(), nullptr, &attributes,
                   Pointers(&arguments).data(), Pointers(&settings).data());
  if (personality_before >= 0) {
    personality(static_cast<unsigned int>(personality_before));
  }
  posix_spawnattr_destroy(&attributes);
  if (error == ENOENT) {
    return absl::NotFoundError(
        absl::StrCat(arguments[0], ": not found; expected a program"));
  }
  if (error != 0) {
    return absl::ErrnoToStatus(
        error, absl::StrCat(arguments[0], ": cannot be started"));
  }
  return process;
}

}  // namespace stowage::recordings
