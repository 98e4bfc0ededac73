// SPDX-License-Identifier: Apache-2.0
// Prints the overhead of recording programs, as a Markdown table: the processor
// time of each program alone, with the recorder and with heaptrack, and the
// number of bytes for each recorded event.
//
//   stowage_recorder_speed LIBRARY
//
// LIBRARY is libstowage_record.so. The programs are a loop that allocates and
// frees, on one thread and on two; a Python program that packs and unpacks
// JSON, with every object allocated by malloc; and a compiler. A program that
// is not installed has no row, and the times with heaptrack are left out if
// heaptrack is not installed. They include the process that compresses the
// output of heaptrack.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "stowage/recordings/log_format.h"
#include "stowage/recordings/log_info.h"

namespace stowage {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 5;

// Replaces blocks by new blocks of random sizes, and writes to each new block.
void Churn(uint32_t random) {
  constexpr int kRounds = 2'000'000;
  std::array<char*, 64> blocks = {};
  for (int i = 0; i < kRounds; ++i) {
    random = random * 1664525U + 1013904223U;
    char*& block = blocks[random >> 26];
    std::free(block);
    block = static_cast<char*>(std::malloc(16 + (random >> 8 & 511)));
    if (block != nullptr) block[0] = static_cast<char>(i);
  }
  for (char* const block : blocks) std::free(block);
}

struct Workload {
  std::string name;
  std::vector<std::string> command;
  // True if the program starts other programs, which heaptrack does not record.
  bool starts_programs = false;
};

// Runs a program with additional environment variables. Returns the processor
// time, in seconds, of the program and of all programs that it starts, or a
// negative number if the program fails.
double CpuSeconds(const Workload& workload,
                  const std::vector<std::string>& variables) {
  std::vector<char*> arguments;
  for (const std::string& word : workload.command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.push_back(*entry);
  }
  for (const std::string& variable : variables) {
    environment.push_back(const_cast<char*>(variable.c_str()));
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                   0);
  pid_t process = 0;
  int status = -1;
  rusage usage = {};
  const bool is_started =
      posix_spawnp(&process, arguments[0], &quiet, nullptr, arguments.data(),
                   environment.data()) == 0;
  posix_spawn_file_actions_destroy(&quiet);
  if (!is_started || wait4(process, &status, 0, &usage) != process ||
      status != 0) {
    return -1;
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Adds the number of events of all logs in a folder to `events`, and the sizes
// of these logs to `bytes`.
void CountEvents(const std::string& folder, uint64_t* events, uint64_t* bytes) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto info = ReadLogInfo(entry.path().string());
    if (!info.ok()) continue;
    *events += info->events;
    *bytes += entry.file_size();
  }
}

void PrintRow(const Workload& workload, const std::string& library,
              const std::string& folder) {
  const std::vector<std::string> common = {"PYTHONMALLOC=malloc",
                                           "PYTHONHASHSEED=0"};
  std::vector<std::string> recording = common;
  recording.push_back(absl::StrCat("LD_PRELOAD=", library));
  recording.push_back(absl::StrCat(log_format::kFolderVariable, "=", folder));
  Workload traced = workload;
  traced.command.insert(
      traced.command.begin(),
      {"heaptrack", "-r", "-o", absl::StrCat(folder, "/heaptrack")});
  std::vector<double> plain;
  std::vector<double> recorded;
  std::vector<double> by_heaptrack;
  uint64_t events = 0;
  uint64_t bytes = 0;
  for (int run = 0; run < kRuns; ++run) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    plain.push_back(CpuSeconds(workload, common));
    recorded.push_back(CpuSeconds(workload, recording));
    if (plain.back() < 0 || recorded.back() < 0) return;
    by_heaptrack.push_back(
        workload.starts_programs ? -1 : CpuSeconds(traced, common));
    if (run == 0) CountEvents(folder, &events, &bytes);
  }
  const double before = Median(plain);
  const double after = Median(recorded);
  const double others = Median(by_heaptrack);
  const std::string compared =
      others < 0 ? std::string("- | -")
                 : absl::StrFormat("%.0f | %.1f", others * 1e3,
                                   (others - before) / (after - before));
  std::printf(
      "| %s | %llu | %.0f | %.0f | %.2f | %s | %.0f | %.2f |\n",
      workload.name.c_str(), static_cast<unsigned long long>(events),
      before * 1e3, after * 1e3, after / before, compared.c_str(),
      events == 0 ? 0 : (after - before) * 1e9 / static_cast<double>(events),
      events == 0 ? 0
                  : static_cast<double>(bytes) / static_cast<double>(events));
  std::fflush(stdout);
}

std::string CompilerInput(const std::string& folder) {
  std::string source = "#include <math.h>\n#include <stdio.h>\n";
  for (int i = 0; i < 400; ++i) {
    absl::StrAppend(&source, "int f", i, "(int n) { int s = ", i,
                    "; while (n-- > 0) s += printf(\"%d\", n); return s; }\n");
  }
  std::string path = absl::StrCat(folder, "/big.c");
  std::ofstream(path) << source;
  return path;
}

void PrintTable(const std::string& self, const std::string& library) {
  std::string name = (fs::temp_directory_path() / "stowage-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return;
  const std::string input = CompilerInput(name);
  const Workload workloads[] = {
      {"malloc and free", {self, "--churn", "1"}},
      {"the same on 2 threads", {self, "--churn", "2"}},
      {"python3: JSON",
       {"/usr/bin/python3", "-S", "-c",
        "import json\n"
        "d = [{'id': i, 'name': 'n%d' % i, 'v': [i, {'x': i * 1.5}]} "
        "for i in range(5000)]\n"
        "for _ in range(20): json.loads(json.dumps(d))"}},
      {"gcc -O2 -c", {"gcc", "-O2", "-c", input, "-o", name + "/big.o"}, true},
  };
  std::printf(
      "| program | events | alone, ms | recorded, ms | ratio | heaptrack, ms | "
      "its overhead / ours | ns/event | bytes/event |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const Workload& workload : workloads) {
    PrintRow(workload, fs::absolute(library).string(), name + "/logs");
  }
  fs::remove_all(name);
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--churn") {
    std::vector<std::thread> threads;
    for (int i = 1; i < std::atoi(argv[2]); ++i) {
      threads.emplace_back(stowage::Churn, 1U + static_cast<uint32_t>(i));
    }
    stowage::Churn(1);
    for (std::thread& thread : threads) thread.join();
    return 0;
  }
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  stowage::PrintTable(std::filesystem::read_symlink("/proc/self/exe").string(),
                      argv[1]);
  return 0;
}
