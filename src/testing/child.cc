// SPDX-License-Identifier: Apache-2.0
#include "src/testing/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
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
#include "absl/types/span.h"
#include "src/io/file_descriptor.h"
#include "src/testing/child_process.h"

namespace stowage::program {

void PrintedOutput::ReadAvailable() {
  std::array<char, 65536> buffer;
  while (!ended_ && count_ <= limit_) {
    const ssize_t got = read(fd_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // there is nothing to read at the moment
    ended_ = got == 0;
    count_ += static_cast<size_t>(got);
    kept_.append(buffer.data(), static_cast<size_t>(got));
    if (kept_.size() > kept_bytes_) {
      kept_.erase(0, kept_.size() - kept_bytes_);
    }
  }
}

void PrintedOutput::Clear() {
  count_ = 0;
  kept_.clear();
}

absl::StatusOr<Pipe> Pipe::Create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "a pipe cannot be made");
  }
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

absl::Status SetNonBlocking(const FileDescriptor& file) {
  if (fcntl(file.get(), F_SETFL, O_NONBLOCK) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "a pipe cannot be set up");
}

namespace {

// Owns the arguments of posix_spawn. The destructor frees them.
class SpawnSettings {
 public:
  explicit SpawnSettings(const ChildFiles& files) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    if (files.input < 0) {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null",
                                       O_RDONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions_, files.input, STDIN_FILENO);
    }
    posix_spawn_file_actions_adddup2(&actions_, files.output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, files.errors, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    // The command ignores SIGXFSZ. A child would inherit that setting, so the
    // default action is restored in the child.
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
      // posix_spawnp does not change the words, although its signature lacks
      // the const.
      arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error = posix_spawnp(&pid, arguments[0], &actions_, &attributes_,
                                   arguments.data(), environ);
    if (error == 0) return pid;
    const absl::Status status =
        ErrnoStatus(error, words[0],
                    error == ENOENT ? "cannot be started: command not found"
                                    : "cannot be started");
    return absl::Status(status.code(),
                        absl::StrCat(status.message(), "; expected a program"));
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Child::~Child() {
  if (pid_ > 0) kill(-pid_, SIGKILL);
  // After waitpid, the system may reuse the process id for another process. The
  // lock ensures that Close() never waits for that other process.
  std::unique_lock<std::mutex> lock;
  if (slot_ != nullptr) {
    lock = std::unique_lock<std::mutex>(slot_->mutex_);
    slot_->pid_ = 0;
  }
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

absl::StatusOr<absl::optional<ChildResult>> Child::PollEnd() {
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

absl::StatusOr<std::unique_ptr<Child>> Child::Start(
    const std::vector<std::string>& words, const ChildFiles& files,
    ChildSlot* slot) {
  std::unique_lock<std::mutex> lock;
  if (slot != nullptr) {
    lock = std::unique_lock<std::mutex>(slot->mutex_);
    if (slot->is_closed_) {
      return absl::CancelledError("no more programs are started");
    }
  }
  const absl::StatusOr<pid_t> pid = SpawnSettings(files).Spawn(words);
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

// The time to wait between two checks of the limits.
constexpr absl::Duration kTick = absl::Milliseconds(20);

// Waits until the child prints something or closes an output, but at most for
// one tick. A child that has closed all outputs is polled more often.
void WaitForOutput(absl::Span<PrintedOutput* const> outputs) {
  std::vector<pollfd> events;
  for (const PrintedOutput* const output : outputs) {
    if (!output->has_ended()) events.push_back({output->fd(), POLLIN, 0});
  }
  if (events.empty()) {
    absl::SleepFor(kTick / 20);
    return;
  }
  poll(events.data(), events.size(),
       static_cast<int>(kTick / absl::Milliseconds(1)));
}

}  // namespace

absl::StatusOr<absl::optional<ChildResult>> AwaitChild(
    Child* child, absl::Span<PrintedOutput* const> outputs,
    const ChildLimits& limits, const std::function<bool()>& is_done) {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  while (true) {
    absl::StatusOr<absl::optional<ChildResult>> ended = child->PollEnd();
    if (!ended.ok()) return ended.status();
    size_t count = 0;
    for (PrintedOutput* const output : outputs) {
      output->ReadAvailable();
      count += output->count();
    }
    ChildResult result;
    if (ended->has_value()) result = **ended;
    // Check `is_done` before the limit. A program may print the output that
    // makes `is_done` return true and then exceed the limit. If the limit were
    // checked first, the result would depend on how fast the program prints.
    if (is_done()) return absl::optional<ChildResult>();
    if (count > limits.max_printed) {
      result.end = ChildResult::End::kOutputLimit;
      return absl::make_optional(std::move(result));
    }
    if (ended->has_value()) return absl::make_optional(std::move(result));
    if (limits.is_cancelled && limits.is_cancelled()) {
      result.end = ChildResult::End::kStopped;
      return absl::make_optional(std::move(result));
    }
    if (absl::FromChrono(steady_clock::now() - start) >= limits.timeout) {
      result.end = ChildResult::End::kTimeout;
      return absl::make_optional(std::move(result));
    }
    WaitForOutput(outputs);
  }
}

}  // namespace stowage::program
