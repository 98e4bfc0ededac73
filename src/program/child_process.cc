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

// How long to wait before looking at the clock and at `stop` again.
constexpr absl::Duration kTick = absl::Milliseconds(20);

// What a child prints: how much, and the end of it.
class Printed {
 public:
  // No more is read than `most` and a little.
  Printed(int fd, size_t most) : fd_(fd), most_(most) {}

  // Reads what is there without waiting for more.
  void Read() {
    std::array<char, 65536> buffer;
    while (!ended_ && count_ <= most_) {
      const ssize_t got = read(fd_, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return;  // nothing more for now
      ended_ = got == 0;
      count_ += static_cast<size_t>(got);
      kept_.append(buffer.data(), static_cast<size_t>(got));
      if (kept_.size() > kKeptBytes) kept_.erase(0, kept_.size() - kKeptBytes);
    }
  }

  bool is_too_much() const { return count_ > most_; }
  bool has_ended() const { return ended_; }
  std::string Kept() && { return std::move(kept_); }

 private:
  int fd_;
  size_t most_;
  size_t count_ = 0;
  bool ended_ = false;
  std::string kept_;
};

// What posix_spawn is told, freed at the end.
class SpawnPlan {
 public:
  explicit SpawnPlan(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) {
      // The system takes them as constant, but does not say so.
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, arguments[0], &actions_, &attributes_,
                                   arguments.data(), environ);
    if (error != 0) return ErrnoStatus(error, words[0], "cannot run it");
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

// A child that nobody has waited for. Its group is killed at the end.
class Child {
 public:
  static absl::StatusOr<std::unique_ptr<Child>> Start(
      const std::vector<std::string>& words, int output, ChildSlot* slot);
  ~Child() {
    KillGroup();
    if (slot_ != nullptr) {
      const std::lock_guard<std::mutex> lock(slot_->mutex_);
      slot_->pid_ = 0;
    }
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // As long as nobody has waited for the child no other group has its number.
  void KillGroup() const {
    if (pid_ > 0) kill(-pid_, SIGKILL);
  }

  // How it ended, or nothing while it runs.
  absl::StatusOr<absl::optional<ChildResult>> Look() {
    siginfo_t info = {};
    int got = 0;
    do {
      got = waitid(P_PID, static_cast<id_t>(pid_), &info,
                   WEXITED | WNOHANG | WNOWAIT);
    } while (got != 0 && errno == EINTR);
    if (got != 0) {
      pid_ = -1;
      return absl::ErrnoToStatus(errno, "cannot wait for the program");
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

  pid_t pid_;
  ChildSlot* slot_;
};

absl::StatusOr<std::unique_ptr<Child>> Child::Start(
    const std::vector<std::string>& words, int output, ChildSlot* slot) {
  std::unique_lock<std::mutex> lock;
  if (slot != nullptr) {
    lock = std::unique_lock<std::mutex>(slot->mutex_);
    if (slot->is_closed_) return absl::CancelledError("nobody wants it");
  }
  const absl::StatusOr<pid_t> pid = SpawnPlan(output).Spawn(words);
  if (!pid.ok()) return pid.status();
  if (slot != nullptr) slot->pid_ = *pid;
  return absl::WrapUnique(new Child(*pid, slot));
}

void ChildSlot::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_closed_ = true;
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

namespace {

// Waits until the child prints or ends, but no longer than a tick. Who closes
// its output and goes on is looked at more often.
void WaitForNews(int output, const Printed& printed) {
  if (printed.has_ended()) {
    absl::SleepFor(kTick / 20);
    return;
  }
  pollfd news = {output, POLLIN, 0};
  poll(&news, 1, static_cast<int>(kTick / absl::Milliseconds(1)));
}

absl::StatusOr<ChildResult> Watch(Child* child, int output,
                                  const ChildLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  Printed printed(output, limits.max_printed);
  ChildResult result;
  while (true) {
    const absl::StatusOr<absl::optional<ChildResult>> ended = child->Look();
    if (!ended.ok()) return ended.status();
    printed.Read();
    if (ended->has_value()) result = **ended;
    if (printed.is_too_much()) result.end = ChildResult::End::kTooTalkative;
    if (ended->has_value() || printed.is_too_much()) break;
    if (limits.stop != nullptr && *limits.stop) {
      result.end = ChildResult::End::kStopped;
      break;
    }
    const auto passed = std::chrono::steady_clock::now() - start;
    if (absl::FromChrono(passed) >= limits.timeout) {
      result.end = ChildResult::End::kTimeout;
      break;
    }
    WaitForNews(output, printed);
  }
  result.printed = std::move(printed).Kept();
  return result;
}

}  // namespace

absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words,
                                     const ChildLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  if (fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "cannot set up a pipe");
  }
  const auto child = Child::Start(words, theirs.get(), limits.slot);
  if (!child.ok()) return child.status();
  theirs = FileDescriptor();
  return Watch(child->get(), ours.get(), limits);
}

std::string Describe(const ChildResult& result, const ChildLimits& limits) {
  switch (result.end) {
    case ChildResult::End::kExit:
      return absl::StrCat("exited with code ", result.code);
    case ChildResult::End::kSignal:
      return absl::StrCat("was ended by ", SignalName(result.code));
    case ChildResult::End::kTimeout:
      return absl::StrCat("still ran after ",
                          absl::FormatDuration(limits.timeout));
    case ChildResult::End::kTooTalkative:
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
