// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/sweep.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "src/command/cli.h"
#include "tests/faults/faults.h"

namespace stowage::faults {
namespace {

namespace fs = std::filesystem;

// If a command makes many calls, each of its first kDense and last kDense calls
// fails in one run, and about kSpread further runs are for the calls in
// between.
constexpr uint64_t kDense = 20;
constexpr uint64_t kSpread = 50;

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using TemporaryStream = std::unique_ptr<FILE, CloseFile>;

std::string ContentOf(FILE* file) {
  std::string content;
  char buffer[4096];
  std::rewind(file);
  for (size_t n = 1; n > 0;) {
    n = std::fread(buffer, 1, sizeof(buffer), file);
    content.append(buffer, n);
  }
  return content;
}

// Counters in memory that the child process updates and the parent process
// reads.
class SharedCounters {
 public:
  SharedCounters()
      : memory_(mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        counters_(new (memory_) Counters) {}
  ~SharedCounters() { munmap(memory_, sizeof(Counters)); }
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;

  Counters* get() const { return counters_; }

 private:
  void* memory_;
  Counters* counters_;
};

int64_t OpenDescriptors() {
  const fs::directory_iterator all("/proc/self/fd");
  return std::distance(fs::begin(all), fs::end(all));
}

std::vector<const char*> ArgvOf(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"stowage"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  argv.push_back(nullptr);
  return argv;
}

constexpr char kTemporary[] = "TMPDIR";

void EnterFolder(const std::string& folder) {
  if (chdir(folder.c_str()) != 0) std::abort();
  setenv(kTemporary, (folder + "/tmp").c_str(), 1);
}

// Runs the command in the child process, which then ends with the exit code or
// signal of the command.
[[noreturn]] void RunCommand(const std::vector<std::string>& arguments,
                             const std::string& folder, int out, int err,
                             const Fault& fault, Counters* counters) {
  EnterFolder(folder);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  const std::vector<const char*> argv = ArgvOf(arguments);
  const int64_t descriptors = OpenDescriptors();
  const int64_t blocks = LiveBlocks();
  Arm(fault, counters);
  const int code = cli::Main(static_cast<int>(argv.size()) - 1, argv.data());
  Disarm();
  counters->leaked_blocks = LiveBlocks() - blocks;
  counters->leaked_descriptors = OpenDescriptors() - descriptors;
  std::exit(code);
}

}  // namespace

std::string SweepTest::MakeFolder(
    const std::string& folder,
    const std::map<std::string, std::string>& files) const {
  fs::create_directories(Path(folder + "/tmp"));
  for (const auto& [name, content] : files) {
    fs::create_directories(
        fs::path(Path(folder).append("/").append(name)).parent_path());
    Write(folder + "/" + name, content);
  }
  return Path(folder);
}

void SweepTest::WarmUp(const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& files) const {
  const fs::path folder = fs::current_path();
  const char* const temporary = std::getenv(kTemporary);
  const std::string before = temporary != nullptr ? temporary : "";
  EnterFolder(MakeFolder("warm", files));
  const TemporaryStream ignored(std::tmpfile());
  {
    const StreamReplaced out(STDOUT_FILENO, fileno(ignored.get()));
    const StreamReplaced err(STDERR_FILENO, fileno(ignored.get()));
    const std::vector<const char*> argv = ArgvOf(arguments);
    cli::Main(static_cast<int>(argv.size()) - 1, argv.data());
  }
  // abseil allocates its list of error messages at the first use, which must
  // happen before leaks are counted.
  static_cast<void>(absl::ErrnoToStatus(ENOSPC, ""));
  fs::current_path(folder);
  if (before.empty()) {
    unsetenv(kTemporary);
  } else {
    setenv(kTemporary, before.c_str(), 1);
  }
  fs::remove_all(Path("warm"));
}

Ending SweepTest::Run(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& files,
                      const Fault& fault) const {
  const std::string folder = MakeFolder("run", files);
  const SharedCounters counters;
  const TemporaryStream out(std::tmpfile());
  const TemporaryStream err(std::tmpfile());
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    RunCommand(arguments, folder, fileno(out.get()), fileno(err.get()), fault,
               counters.get());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  Ending ending;
  ending.exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ending.calls = counters.get()->calls;
  ending.failed = counters.get()->failed;
  ending.leaked_blocks = counters.get()->leaked_blocks;
  ending.leaked_descriptors = counters.get()->leaked_descriptors;
  ending.out = ContentOf(out.get());
  ending.err = ContentOf(err.get());
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file()) {
      ending.files[name] = Read("run/" + name);
    } else if (fs::is_empty(entry.path())) {
      ending.files[name + "/"] = "";
    }
  }
  fs::remove_all(folder);
  return ending;
}

std::vector<uint64_t> Sweep(uint64_t calls) {
  std::set<uint64_t> numbers;
  for (uint64_t n = 1; n <= std::min(calls, kDense); ++n) {
    numbers.insert(n);
    numbers.insert(calls + 1 - n);
  }
  for (uint64_t n = 1; n <= calls; n += 1 + calls / kSpread) numbers.insert(n);
  return {numbers.begin(), numbers.end()};
}

}  // namespace stowage::faults
