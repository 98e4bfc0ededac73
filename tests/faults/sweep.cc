#include "tests/faults/sweep.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "src/cli/cli.h"
#include "tests/faults/faults.h"

namespace stowage::faults {
namespace {

namespace fs = std::filesystem;

// Runs at either end, and spread over all calls.
constexpr uint64_t kDense = 30;
constexpr uint64_t kSpread = 100;

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

// Counters that the child counts and the parent reads.
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

// The child. Ends as the command does.
[[noreturn]] void RunCommand(const std::vector<std::string>& arguments,
                             const std::string& folder, int out, int err,
                             const Fault& fault, Counters* counters) {
  if (chdir(folder.c_str()) != 0) std::abort();
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<const char*> argv = {"stowage"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  Arm(fault, counters);
  const int code = cli::Main(argc, argv.data());
  Disarm();
  std::exit(code);
}

}  // namespace

Ending SweepTest::Run(const std::vector<std::string>& arguments,
                      const std::map<std::string, std::string>& files,
                      const Fault& fault) const {
  const std::string folder = Path("run");
  fs::create_directory(folder);
  for (const auto& [name, content] : files) {
    fs::create_directories(fs::path(Path("run/" + name)).parent_path());
    Write("run/" + name, content);
  }
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
  ending.out = ContentOf(out.get());
  ending.err = ContentOf(err.get());
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = fs::relative(entry.path(), folder).string();
    ending.files[name] = Read("run/" + name);
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
