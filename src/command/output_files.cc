// SPDX-License-Identifier: Apache-2.0
#include "src/command/output_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/options.h"
#include "src/command/verb.h"
#include "stowage/io/write_file.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

// The name for standard input or output on the command line.
constexpr absl::string_view kStandardStream = "-";

// The identity of a file. An existing file is identified by its inode. Any
// other file is identified by its name and the inode of its folder.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string new_name;
  bool is_regular = true;
};

bool IsSame(const FileIdentity& a, const FileIdentity& b) {
  return std::tie(a.device, a.inode, a.new_name) ==
         std::tie(b.device, b.inode, b.new_name);
}

// Returns the identity of an existing file, or nullopt for a character device.
absl::optional<FileIdentity> IdentityOf(const struct stat& info) {
  if (S_ISCHR(info.st_mode)) return absl::nullopt;
  return FileIdentity{info.st_dev, info.st_ino, "", S_ISREG(info.st_mode)};
}

absl::optional<FileIdentity> IdentityOfOpen(int fd) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) return absl::nullopt;
  return IdentityOf(info);
}

// Returns the identity of the file at `path`, or nullopt if the path can be
// neither read nor written; opening the file later will then report the error.
absl::optional<FileIdentity> IdentityOfPath(const std::string& path) {
  constexpr int kMaxLinks = 40;
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMaxLinks; ++i) {
    struct stat info = {};
    if (stat(target.c_str(), &info) == 0) return IdentityOf(info);
    const fs::path link = fs::read_symlink(target, error);
    if (error) break;
    target = target.parent_path() / link;
  }
  const fs::path folder =
      target.has_parent_path() ? target.parent_path() : fs::path(".");
  struct stat info = {};
  if (stat(folder.c_str(), &info) != 0) return absl::nullopt;
  return FileIdentity{info.st_dev, info.st_ino, target.filename().string(),
                      /*is_regular=*/true};
}

absl::optional<FileIdentity> IdentityOfInput(const std::string& path) {
  return path == kStandardStream ? IdentityOfOpen(STDIN_FILENO)
                                 : IdentityOfPath(path);
}

absl::optional<FileIdentity> IdentityOfOutput(const std::string& path) {
  if (path.empty()) return absl::nullopt;
  return path == kStandardStream ? IdentityOfOpen(STDOUT_FILENO)
                                 : IdentityOfPath(path);
}

absl::string_view InputText(const std::string& path) {
  return path == kStandardStream ? "standard input" : absl::string_view(path);
}

absl::Status CheckAgainstInput(const OutputFile& output,
                               const FileIdentity& identity,
                               const std::string& input) {
  const absl::optional<FileIdentity> read = IdentityOfInput(input);
  if (!read || !read->is_regular || !IsSame(identity, *read)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(output.option, ": '", output.path, "' is the input '",
                   InputText(input), "'; expected another file"));
}

}  // namespace

absl::Status CheckOutputFiles(absl::Span<const OutputFile> outputs,
                              absl::Span<const std::string> inputs) {
  std::vector<std::pair<FileIdentity, const OutputFile*>> known;
  for (const OutputFile& output : outputs) {
    const absl::optional<FileIdentity> identity = IdentityOfOutput(output.path);
    if (!identity) continue;
    for (const auto& [other, owner] : known) {
      if (!IsSame(*identity, other)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          output.option, ": '", output.path, "' is the file of ", owner->option,
          " '", owner->path, "'; expected another file"));
    }
    for (const std::string& input : inputs) {
      absl::Status status = CheckAgainstInput(output, *identity, input);
      if (!status.ok()) return status;
    }
    known.emplace_back(*identity, &output);
  }
  return absl::OkStatus();
}

absl::Status CheckDumpFolder(const std::string& folder,
                             absl::Span<const std::string> inputs) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::end(entry); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_dumped =
        name == "manifest.json" ||
        (absl::StartsWith(name, "inv") && absl::EndsWith(name, ".bin"));
    if (!is_dumped) continue;
    absl::Status status =
        CheckOutputFiles({{"--dump", entry->path().string()}}, inputs);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool IsStandardOutput(const std::string& path) {
  const absl::optional<FileIdentity> output = IdentityOfOpen(STDOUT_FILENO);
  if (!output || path.empty()) return false;
  const absl::optional<FileIdentity> file = IdentityOfPath(path);
  return file && IsSame(*file, *output);
}

Outcome DeliverFile(const std::string& output, std::string content,
                    const Answer& answer, Format format) {
  Outcome outcome;
  outcome.err = answer.Render(Format::kText);
  if (output.empty() || output == kStandardStream) {
    outcome.out = std::move(content);
  } else if (absl::Status s = WriteFile(output, content); !s.ok()) {
    return BadInput(s);
  }
  if (format == Format::kJson) outcome.out = answer.Render(format);
  return outcome;
}

}  // namespace stowage::cli
