// SPDX-License-Identifier: Apache-2.0
#include "tests/command/command.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "stowage/base/random.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

std::string NewFolder() {
  std::string name =
      (fs::temp_directory_path() / "stowage-cli-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr) << name;
  return name;
}

// Returns the folder that contains the command: the folder named by the
// variable STOWAGE_COMMAND_FOLDER if it is set, and otherwise the folder of
// this build.
std::string CommandLocation() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no test sets variables
  const char* const folder = std::getenv("STOWAGE_COMMAND_FOLDER");
  return folder == nullptr ? STOWAGE_BINARY_DIR : folder;
}

// Returns the text without the lines that report progress, which the command
// prints to standard error on slow machines.
std::string WithoutProgress(absl::string_view text) {
  std::string kept;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::string_view rest = line;
    const bool is_progress = absl::ConsumePrefix(&rest, "stowage: [") &&
                             rest.find_first_not_of("#.") != 0;
    if (!is_progress) absl::StrAppend(&kept, line, "\n");
  }
  // Removes the newline that was added after the last line.
  kept.pop_back();
  return kept;
}

}  // namespace

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

CommandFolder::CommandFolder() : path_(NewFolder()) {
  fs::create_directory(path_ + "/desk");
}

CommandFolder::~CommandFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

CommandResult CommandFolder::Run(const std::string& line) const {
  // The shell reads the line from a file, so nothing in the line needs quoting.
  std::ofstream(path_ + "/line.sh") << line << "\n";
  // The output must not depend on the terminal or the locale in which the tests
  // run.
  const std::string command = absl::StrCat(
      "unset COLUMNS NO_COLOR CLICOLOR_FORCE; "
      "export LC_ALL=C.UTF-8; cd '",
      path_, "/desk' && PATH='", CommandLocation(), "':\"$PATH\" exec sh '",
      path_, "/line.sh' > '", path_, "/out' 2> '", path_, "/err' < /dev/null");
  const int status = std::system(command.c_str());
  CommandResult result;
  result.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = ReadWholeFile(path_ + "/out");
  result.err = WithoutProgress(ReadWholeFile(path_ + "/err"));
  return result;
}

std::string RandomTraceCsv(const RandomTrace& trace, uint64_t seed) {
  Random random(seed);
  std::string csv = "id,lower,upper,size\n";
  for (int i = 0; i < trace.records; ++i) {
    const uint64_t lower = random.Below(trace.tasks);
    absl::StrAppend(&csv, i, ",", lower, ",",
                    lower + 1 + random.Below(trace.lengths), ",",
                    trace.least_size + random.Below(trace.sizes), "\n");
  }
  return csv;
}

void CommandFolder::Write(const std::string& name,
                          absl::string_view content) const {
  std::ofstream(path_ + "/desk/" + name, std::ios::binary) << content;
}

std::string CommandFolder::Read(const std::string& name) const {
  return ReadWholeFile(path_ + "/desk/" + name);
}

std::string CommandFolder::List() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(path_ + "/desk")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, " ");
}

}  // namespace stowage::cli
