// SPDX-License-Identifier: Apache-2.0
#include "src/command/progress_lines.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "src/command/json.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::cli {

ProgressLines::ProgressLines(int fd)
    : fd_(fd), start_(std::chrono::steady_clock::now()) {}

// Returns the time rounded to microseconds.
double ProgressLines::Seconds() const {
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start_);
  return static_cast<double>(time.count()) / 1e6;
}

bool ProgressLines::WouldWait() const {
  pollfd out = {fd_, POLLOUT, 0};
  return poll(&out, 1, 0) == 0;
}

void ProgressLines::Print(const SearchProgress& progress) {
  if (last_ && progress.total_size >= last_->total_size &&
      progress.lower_bound <= last_->lower_bound) {
    return;
  }
  // The line is left out if writing it would wait, because a slow reader must
  // not delay the search, which has a time limit.
  if (WouldWait()) return;
  last_ = progress;
  Write(Dump({{"seconds", Seconds()},
              {"total_size", progress.total_size},
              {"lower_bound", progress.lower_bound},
              {"nodes", progress.nodes},
              {"found_by", progress.found_by}}));
}

void ProgressLines::PrintAnswer(const Solution& solution) {
  Json line = {{"seconds", Seconds()},
               {"total_size", nullptr},
               {"lower_bound", solution.lower_bound},
               {"nodes", solution.nodes},
               {"found_by", nullptr}};
  if (solution.has_plan()) {
    line["total_size"] = solution.total_size;
    line["found_by"] = solution.found_by;
  }
  line["status"] = std::string(SolutionStatusName(solution.status));
  Write(Dump(line));
}

void ProgressLines::Write(const std::string& line) {
  if (!status_.ok()) return;
  absl::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd out = {fd_, POLLOUT, 0};
      (void)poll(&out, 1, -1);
    } else if (errno != EINTR) {
      status_ = absl::ErrnoToStatus(
          errno, "--progress: cannot write to standard error");
      return;
    }
  }
}

}  // namespace stowage::cli
