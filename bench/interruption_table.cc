// SPDX-License-Identifier: Apache-2.0
// Prints, as a Markdown table, how long the command continues to run after
// Ctrl-C or SIGTERM. The time is measured from the signal to the end of the
// process. The signals are sent at moments spread over the first 2.5 seconds,
// because the linear programs of large inputs begin within this time.
//
//   stowage_interruption STOWAGE TRACE...
//
// STOWAGE is the command. Times are in milliseconds rather than relative to
// other work, because a user has to wait for them.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"

namespace stowage::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kMoments = 25;
constexpr std::chrono::milliseconds kBetweenMoments{100};

// Starts the command and discards its output. Returns -1 if it cannot be
// started.
pid_t Start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY,
                                     0);
  }
  // If this program runs in the background, the child may inherit a setting
  // that ignores these signals. Restore their default actions in the child.
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGINT);
  sigaddset(&taken, SIGTERM);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &taken);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  if (posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(),
                  environ) != 0) {
    child = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return child;
}

// Sends the signal and returns the time from the signal to the end of the
// command. Returns nullopt if the command completed before the signal was sent.
absl::optional<double> Interrupt(pid_t child, int signal) {
  const Clock::time_point sent = Clock::now();
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  const Milliseconds taken = Clock::now() - sent;
  // The signal terminates every command that receives it. A command that was
  // not terminated by the signal had therefore completed before it.
  if (!WIFSIGNALED(status) || WTERMSIG(status) != signal) return absl::nullopt;
  return taken.count();
}

// Runs the command with the arguments `job`, and prints a row.
bool PrintRow(const std::string& command, const std::vector<std::string>& job) {
  std::vector<std::string> words = {command};
  words.insert(words.end(), job.begin(), job.end());
  std::vector<double> times;
  for (const int signal : {SIGINT, SIGTERM}) {
    for (int moment = 1; moment <= kMoments; ++moment) {
      const pid_t child = Start(words);
      if (child < 0) return false;
      std::this_thread::sleep_for(moment * kBetweenMoments);
      const absl::optional<double> time = Interrupt(child, signal);
      if (time) times.push_back(*time);
    }
  }
  const std::string name =
      absl::StrJoin(job, " ", [](std::string* out, const std::string& word) {
        absl::StrAppend(out, word.substr(word.rfind('/') + 1));
      });
  std::printf("| `%s` | %zu ", name.c_str(), times.size());
  if (times.empty()) {
    std::puts("| - | - |");
    return true;
  }
  std::sort(times.begin(), times.end());
  std::printf("| %.1f | %.1f |\n", times[times.size() / 2], times.back());
  return true;
}

int Main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: stowage_interruption STOWAGE TRACE...\n", stderr);
    return 2;
  }
  const std::string command = argv[1];
  std::puts("| command | signals | median ms | longest ms |");
  std::puts("|---|--:|--:|--:|");
  for (int i = 2; i < argc; ++i) {
    for (const std::vector<std::string>& job :
         {std::vector<std::string>{"plan", argv[i], "--strategy", "optimal"},
          {"plan", argv[i], "--strategy", "optimal", "--kind", "objects"},
          {"plan", argv[i], "--strategy", "mincostflow"},
          {"compare", argv[i]}}) {
      if (PrintRow(command, job)) continue;
      std::fprintf(stderr, "%s: cannot be run\n", command.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace stowage::bench

int main(int argc, char** argv) { return stowage::bench::Main(argc, argv); }
