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

namespace {

// Returns whether the plan or a bound is better in `progress` than in `last`.
bool IsBetter(const SearchProgress& progress, const SearchProgress& last) {
  const auto size_of = [](const SearchProgress& p) {
    return std::pair(p.cost.value_or(0), p.total_size);
  };
  return size_of(progress) < size_of(last) ||
         progress.lower_bound > last.lower_bound ||
         progress.cost_bound > last.cost_bound;
}

}  // namespace

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
  if (last_ && !IsBetter(progress, *last_)) return;
  // Omits the line if writing it would block, because a slow reader must not
  // delay the search, which has a time limit.
  if (WouldWait()) return;
  last_ = progress;
  Json line = {{"seconds", Seconds()}};
  if (progress.cost) {
    line["cost"] = *progress.cost;
    line["cost_bound"] = progress.cost_bound;
  }
  line["total_size"] = progress.total_size;
  line["lower_bound"] = progress.lower_bound;
  line["nodes"] = progress.nodes;
  line["found_by"] = progress.found_by;
  Write(Dump(line));
}

void ProgressLines::PrintAnswer(const Solution& solution, bool has_costs) {
  Json line = {{"seconds", Seconds()}};
  if (has_costs) {
    line["cost"] = nullptr;
    if (solution.has_plan()) line["cost"] = solution.cost;
    line["cost_bound"] = solution.cost_bound;
  }
  line.update({{"total_size", nullptr},
               {"lower_bound", solution.lower_bound},
               {"nodes", solution.nodes},
               {"found_by", nullptr}});
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
