// SPDX-License-Identifier: Apache-2.0
// Determines the reason that a program cannot be recorded, by reading its file.
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/input_file.h"
#include "stowage/recordings/record_program.h"

namespace stowage {
namespace {

// Reads numbers, with the least significant byte first, from a 64-bit ELF file.
// Numbers beyond the end of the file are 0. The positions of the numbers are
// defined in the ELF specification (System V ABI, chapters 4 and 5).
class ElfFile {
 public:
  explicit ElfFile(string_view bytes) : bytes_(bytes) {}

  bool is_elf() const {
    return absl::StartsWith(bytes_,
                            "\x7F"
                            "ELF");
  }
  bool has_64_bits() const { return Number(4, 1) == 2; }

  // Returns whether the program requests a dynamic linker.
  bool has_interpreter() const {
    constexpr uint64_t kInterpreter = 3;
    const uint64_t table = Number(32, 8);
    const uint64_t row_bytes = Number(54, 2);
    for (uint64_t i = 0; i < Number(56, 2); ++i) {
      if (Number(table + i * row_bytes, 4) == kInterpreter) return true;
    }
    return false;
  }

  // Returns whether the program exports a function with this name.
  bool Exports(string_view name) const {
    constexpr uint64_t kDynamicSymbols = 11;
    const uint64_t table = Number(40, 8);
    const uint64_t row_bytes = Number(58, 2);
    for (uint64_t i = 0; i < Number(60, 2); ++i) {
      const uint64_t row = table + i * row_bytes;
      if (Number(row + 4, 4) != kDynamicSymbols) continue;
      const uint64_t names = table + Number(row + 40, 4) * row_bytes;
      return HasSymbol(Number(row + 24, 8), Number(row + 32, 8),
                       Number(names + 24, 8), name);
    }
    return false;
  }

 private:
  uint64_t Number(uint64_t at, size_t bytes) const {
    if (at > bytes_.size() || bytes > bytes_.size() - at) return 0;
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; ++i) {
      number |= uint64_t{static_cast<uint8_t>(bytes_[at + i])} << 8 * i;
    }
    return number;
  }

  // Returns whether a symbol table defines a symbol with this name.
  bool HasSymbol(uint64_t table, uint64_t bytes, uint64_t names,
                 string_view name) const {
    constexpr uint64_t kRowBytes = 24;
    if (table > bytes_.size()) return false;
    const uint64_t rows =
        std::min<uint64_t>(bytes, bytes_.size() - table) / kRowBytes;
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t row = table + i * kRowBytes;
      const uint64_t at = names + Number(row, 4);
      const bool is_defined = Number(row + 6, 2) != 0;
      if (is_defined && at < bytes_.size() &&
          bytes_.size() - at > name.size() &&
          bytes_.substr(at, name.size()) == name &&
          bytes_[at + name.size()] == '\0') {
        return true;
      }
    }
    return false;
  }

  string_view bytes_;
};

// Returns the path at which a shell finds a program, or an empty string.
std::string FindProgram(const std::string& program) {
  struct stat status = {};
  if (absl::StrContains(program, '/')) return program;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes the environment
  const char* const path = std::getenv("PATH");
  for (const string_view folder :
       absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    std::string file =
        absl::StrCat(folder.empty() ? "." : folder, "/", program);
    if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & 0111) != 0) {
      return file;
    }
  }
  return "";
}

// Returns the path of the interpreter of a script, or an empty string.
std::string InterpreterOf(string_view bytes) {
  if (!absl::StartsWith(bytes, "#!")) return "";
  const string_view line = bytes.substr(2, bytes.find('\n') - 2);
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  return words.empty() ? "" : words[0];
}

std::string WhyFileIsNotRecorded(const std::string& path, bool may_be_script) {
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0 &&
      (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return absl::StrCat(path,
                        " runs with the rights of another user (setuid), "
                        "so that the system loads no other library");
  }
  const StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return "";
  const StatusOr<string_view> bytes = (*file)->Contents();
  if (!bytes.ok()) return "";
  const std::string interpreter = InterpreterOf(*bytes);
  if (!interpreter.empty() && may_be_script) {
    return WhyFileIsNotRecorded(interpreter, /*may_be_script=*/false);
  }
  const ElfFile elf(*bytes);
  if (!elf.is_elf()) return "";
  if (!elf.has_64_bits()) return absl::StrCat(path, " is a 32-bit program");
  if (!elf.has_interpreter()) {
    return absl::StrCat(path,
                        " is linked statically, so that no other library "
                        "can take the place of its allocator");
  }
  if (elf.Exports("malloc")) {
    return absl::StrCat(path, " has an allocator of its own");
  }
  return "";
}

}  // namespace

std::string WhyNotRecorded(const std::string& program) {
  return WhyFileIsNotRecorded(FindProgram(program), /*may_be_script=*/true);
}

}  // namespace stowage
