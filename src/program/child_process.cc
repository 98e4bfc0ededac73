// SPDX-License-Identifier: Apache-2.0
#include "src/program/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <spawn.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/trace/file_descriptor.h"

namespace stowage::program {
namespace {

constexpr size_t kKeptBytes = 4096;

// How long to wait before asking for the time and whether it is cancelled.
constexpr absl::Duration kTick = absl::Milliseconds(20);

// Reads what a child prints, counts it, and keeps the end of it.
class PrintedOutput {
 public:
  // Reads at most `limit` bytes and one buffer.
  PrintedOutput(int fd, size_t limit) : fd_(fd), limit_(limit) {}

  // Reads what is available without waiting for more.
  void ReadAvailable() {
    std::array<char, 65536> buffer;
    while (!ended_ && count_ <= limit_) {
      const ssize_t got = read(fd_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;  // nothing more for now
      ended_ = got == 0;
      count_ += static_cast<size_t>(got);
      kept_.append(buffer.data(), static_cast<size_t>(got));
      if (kept_.size() > kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
    }
  }

  bool is_above_limit() const { return count_ > limit_; }
  bool has_ended() const { return ended_; }
  std::string TakeKept() && { return std::move(kept_); }

 private:
  int fd_;
  size_t limit_;
  size_t count_ = 0;
  bool ended_ = false;
  std::string kept_;
};

// The arguments of posix_spawn, freed at the end.
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    // The command ignores SIGXFSZ, and a child would inherit that.
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) {
      // posix_spawnp does not change them, but its signature lacks the const.
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, arguments[0], &actions_, &attributes_,
                                   arguments.data(), environ);
    if (error == 0) return pid;
    const absl::Status status =
        ErrnoStatus(error, words[0], "cannot be started");
    return absl::Status(status.code(),
                        absl::StrCat(status.message(), "; expected a program"));
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

// A child process that has not been waited for. The destructor kills its group
// and waits for it.
class Child {
 public:
  static absl::StatusOr<std::unique_ptr<Child>> Start(
      const std::vector<std::string>& words, int output, ChildSlot* slot);
  ~Child() {
    if (pid_ > 0) kill(-pid_, SIGKILL);
    // Under the lock, so that Close() never waits for another's process.
    std::unique_lock<std::mutex> lock;
    if (slot_ != nullptr) {
      lock = std::unique_lock<std::mutex>(slot_->mutex_);
      slot_->pid_ = 0;
    }
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // How it ended, or nullopt while it is running.
  absl::StatusOr<absl::optional<ChildResult>> PollEnd() {
    siginfo_t info = {};
    int got = 0;
    do {
      got = waitid(P_PID, static_cast<id_t>(pid_), &info,
                   WEXITED | WNOHANG | WNOWAIT);
    } while (got != 0 && errno == EINTR);
    if (got != 0) {
      pid_ = -1;
      return absl::ErrnoToStatus(errno, "the program cannot be waited for");
    }
    if (info.si_pid == 0) return absl::optional<ChildResult>();
    ChildResult result;
    result.end = info.si_code == CLD_EXITED ? ChildResult::End::kExit
                                            : ChildResult::End::kSignal;
    result.code = info.si_status;
    return absl::make_optional(std::move(result));
  }

 private:
  Child(pid_t pid, ChildSlot* slot) : pid_(pid), slot_(slot) {}

  pid_t pid_;  // no other process has this number until it is waited for
  ChildSlot* slot_;
};

absl::StatusOr<std::unique_ptr<Child>> Child::Start(
    const std::vector<std::string>& words, int output, ChildSlot* slot) {
  std::unique_lock<std::mutex> lock;
  if (slot != nullptr) {
    lock = std::unique_lock<std::mutex>(slot->mutex_);
    if (slot->is_closed_) {
      return absl::CancelledError("no program is started any more");
    }
  }
  const absl::StatusOr<pid_t> pid = SpawnSettings(output).Spawn(words);
  if (!pid.ok()) return pid.status();
  if (slot != nullptr) slot->pid_ = *pid;
  return absl::WrapUnique(new Child(*pid, slot));
}

void ChildSlot::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_closed_ = true;
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  siginfo_t info = {};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) !=
             0 &&
         errno == EINTR) {
  }
}

namespace {

// Waits until the child prints or ends, but no longer than a tick. A child that
// has closed its output is polled more often.
void WaitForEvent(int output, const PrintedOutput& printed) {
  if (printed.has_ended()) {
    absl::SleepFor(kTick / 20);
    return;
  }
  pollfd event = {output, POLLIN, 0};
  poll(&event, 1, static_cast<int>(kTick / absl::Milliseconds(1)));
}

// Waits for the end of the child, or for a limit.
absl::StatusOr<ChildResult> AwaitEnd(Child* child, int output,
                                     const ChildLimits& limits) {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  PrintedOutput printed(output, limits.max_printed);
  ChildResult result;
  while (true) {
    const absl::StatusOr<absl::optional<ChildResult>> ended = child->PollEnd();
    if (!ended.ok()) return ended.status();
    printed.ReadAvailable();
    if (ended->has_value()) result = **ended;
    if (printed.is_above_limit()) result.end = ChildResult::End::kOutputLimit;
    if (ended->has_value() || printed.is_above_limit()) break;
    if (limits.is_cancelled && limits.is_cancelled()) {
      result.end = ChildResult::End::kStopped;
      break;
    }
    if (absl::FromChrono(steady_clock::now() - start) >= limits.timeout) {
      result.end = ChildResult::End::kTimeout;
      break;
    }
    WaitForEvent(output, printed);
  }
  result.printed = std::move(printed).TakeKept();
  return result;
}

}  // namespace

absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "a pipe cannot be made");
  }
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  if (fcntl(read_end.get(), F_SETFL, O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "a pipe cannot be set up");
  }
  const auto child = Child::Start(words, write_end.get(), limits.slot);
  if (!child.ok()) return child.status();
  write_end = FileDescriptor();
  return AwaitEnd(child->get(), read_end.get(), limits);
}

std::string Describe(const ChildResult& result, const ChildLimits& limits) {
  switch (result.end) {
    case ChildResult::End::kExit:
      return absl::StrCat("exited with code ", result.code);
    case ChildResult::End::kSignal:
      return absl::StrCat("was ended by ", SignalName(result.code));
    case ChildResult::End::kTimeout:
      return absl::StrCat("was still running after ",
                          absl::FormatDuration(limits.timeout));
    case ChildResult::End::kOutputLimit:
      return absl::StrCat("printed more than ", limits.max_printed, " bytes");
    case ChildResult::End::kStopped:
      return "was stopped";
  }
  return "";
}

std::string SignalName(int number) {
  const char* const meaning = sigdescr_np(number);
  return absl::StrCat("signal ", number, " (",
                      meaning != nullptr ? meaning : "unknown", ")");
}

}  // namespace stowage::program
