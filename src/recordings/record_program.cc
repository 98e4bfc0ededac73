// SPDX-License-Identifier: Apache-2.0
#include "stowage/recordings/record_program.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): of POSIX
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/preloaded_program.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/log_format.h"
#include "stowage/recordings/log_info.h"

namespace stowage {
namespace {

namespace fs = std::filesystem;

// The process to which signals are forwarded, and a signal that was received
// before this process was started.
std::atomic<pid_t> recorded_process{0};
std::atomic<int> early_signal{0};

// Forwards a signal that another process has sent. A signal from the terminal
// has already reached the program, which is in the same process group.
void PassOnSignal(int number, siginfo_t* info, void* /*context*/) {
  if (info->si_code > 0) return;
  const int error = errno;
  const pid_t process = recorded_process;
  if (process > 0) {
    kill(process, number);
  } else {
    early_signal = number;
  }
  errno = error;
}

// Forwards signals as long as the object exists.
class SignalRelay {
 public:
  SignalRelay() {
    recorded_process = 0;
    early_signal = 0;
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      // If this process ignores a signal, the program must ignore it as well.
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action = {};
      action.sa_sigaction = PassOnSignal;
      action.sa_flags = SA_RESTART | SA_SIGINFO;
      sigemptyset(&action.sa_mask);
      sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~SignalRelay() {
    recorded_process = 0;
    for (size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  static void SendTo(pid_t process) {
    recorded_process = process;
    const int early = early_signal.exchange(0);
    if (early != 0) kill(process, early);
  }

 private:
  static constexpr std::array<int, 6> kSignals = {SIGHUP,  SIGINT,  SIGQUIT,
                                                  SIGTERM, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kSignals.size()> before_;
};

std::set<std::string> LogsIn(const std::string& folder) {
  std::set<std::string> logs;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == log_format::kFileEnding) {
      logs.insert(it->path().string());
    }
  }
  return logs;
}

// The folder for the logs.
struct LogFolder {
  std::string path;  // absolute
  bool is_new = false;
};

// Creates the folder if necessary.
StatusOr<LogFolder> MakeFolder(const std::string& folder) {
  std::error_code not_made;
  const bool is_new = fs::create_directories(folder, not_made);
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (error) {
    if (not_made) error = not_made;  // says why the folder does not exist
    return absl::InvalidArgumentError(absl::StrCat(
        folder, ": ", error.message(), "; expected a folder for the logs"));
  }
  if (!fs::is_directory(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": is a file; expected a folder for the logs"));
  }
  if (access(path.c_str(), W_OK | X_OK) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat(folder, ": logs cannot be written there"));
  }
  return LogFolder{path.string(), is_new};
}

StatusOr<std::string> FindLibrary(const std::string& library) {
  std::error_code error;
  std::string path = fs::canonical(library, error).string();
  if (error) {
    return absl::NotFoundError(absl::StrCat(library, ": ", error.message(),
                                            "; expected the library of the "
                                            "recorder"));
  }
  if (path.find_first_of(": \t\n") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": the path has a space or a colon, which "
                     "LD_PRELOAD cannot express; expected another path"));
  }
  return path;
}

Status Await(pid_t process, RecordedProgram* program) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "the program cannot be waited for");
    }
  }
  program->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  program->exit_code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + program->signal;
  return OkStatus();
}

// Returns whether the file does not contain any byte of a log. This happens if
// the process was killed or has forked while it was beginning the log.
bool IsUnbegun(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = '\0';
  return !file.get(first) || first == '\0';
}

bool IsRunning(uint64_t process) {
  return process <= std::numeric_limits<pid_t>::max() && process > 0 &&
         (kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
}

// Reads the logs that are not in `before`. A log that cannot be read does not
// affect the other logs.
void AddImages(const std::string& folder, const std::set<std::string>& before,
               RecordedProgram* program) {
  for (const std::string& path : LogsIn(folder)) {
    if (before.count(path) > 0 || IsUnbegun(path)) continue;
    StatusOr<LogInfo> info = ReadLogInfo(path);
    if (!info.ok()) {
      if (!program->unreadable.empty()) program->unreadable += "; ";
      program->unreadable += std::string(info.status().message());
      continue;
    }
    // A program that is still running may still write the missing events, so
    // they do not count as lost.
    if (IsRunning(info->process)) info->lost_events -= info->missing_events;
    program->images.push_back({path, *std::move(info)});
  }
  std::stable_sort(program->images.begin(), program->images.end(),
                   [](const RecordedImage& a, const RecordedImage& b) {
                     return a.info.start_time < b.info.start_time;
                   });
}

// Runs the program and reads its logs in the folder. See RecordProgram.
StatusOr<RecordedProgram> RecordIn(const std::string& folder,
                                   const std::vector<std::string>& command,
                                   const std::string& preload,
                                   const RecordOptions& options) {
  const std::set<std::string> before = LogsIn(folder);
  RecordedProgram program;
  pid_t process = 0;
  {
    const SignalRelay relay;
    const StatusOr<pid_t> started = recordings::StartPreloaded(
        {command, preload,
         options.touches
             ? absl::StrCat(log_format::kTouchesPrefix, folder.substr(1))
             : folder});
    if (!started.ok()) return started.status();
    process = *started;
    SignalRelay::SendTo(process);
    if (Status s = Await(process, &program); !s.ok()) return s;
  }
  AddImages(folder, before, &program);
  const bool has_events = std::any_of(
      program.images.begin(), program.images.end(),
      [process](const RecordedImage& image) {
        return image.info.process == static_cast<uint64_t>(process) &&
               (image.info.allocations > 0 || image.info.lost_events > 0);
      });
  if (!has_events) program.note = WhyNotRecorded(command[0]);
  if (program.images.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        command[0], ": nothing was recorded",
        program.note.empty() ? "" : absl::StrCat(": ", program.note),
        "; expected a program that is linked dynamically with glibc, and a "
        "folder in which it may write"));
  }
  if (!has_events && program.note.empty()) {
    program.note = "the program itself has allocated nothing";
  }
  return program;
}

}  // namespace

bool CanRecordTouches() {
#if defined(__x86_64__) && defined(__linux__)
  // Tests whether the system has Syscall User Dispatch. Disabling the feature
  // while it is already disabled fails only on systems without the feature.
  constexpr int kSetDispatch = 59;
  return prctl(kSetDispatch, 0, 0, 0, 0) == 0;
#else
  return false;
#endif
}

StatusOr<RecordedProgram> RecordProgram(const std::vector<std::string>& command,
                                        const std::string& folder,
                                        const std::string& library,
                                        const RecordOptions& options) {
  if (command.empty()) {
    return absl::InvalidArgumentError("no command; expected a program");
  }
  if (options.touches && !CanRecordTouches()) {
    return absl::UnimplementedError(
        "touches cannot be recorded on this system; expected Linux 5.11 or "
        "later on x86-64, or a recording without touches");
  }
  const StatusOr<std::string> preload = FindLibrary(library);
  if (!preload.ok()) return preload.status();
  const StatusOr<LogFolder> logs = MakeFolder(folder);
  if (!logs.ok()) return logs.status();
  StatusOr<RecordedProgram> program =
      RecordIn(logs->path, command, *preload, options);
  if (!program.ok() && logs->is_new) {
    std::error_code not_empty;
    fs::remove(logs->path, not_empty);
  }
  return program;
}

}  // namespace stowage
