// SPDX-License-Identifier: Apache-2.0
#include "src/command/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "src/command/gap_line.h"
#include "src/command/text.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

constexpr std::chrono::seconds kPatience{1};
constexpr std::chrono::milliseconds kRefresh{200};

size_t TerminalColumns() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Line(size_t begun, size_t steps, const std::string& what,
                 int64_t seconds) {
  constexpr size_t kBar = 20;
  const size_t done = begun == 0 ? 0 : begun - 1;
  const size_t filled = steps == 0 ? 0 : done * kBar / steps;
  std::string line = absl::StrFormat(
      "[%s%s] %d/%d %ds %s", std::string(filled, '#'),
      std::string(kBar - filled, '.'), done, steps, seconds, what);
  return OneLine(line);
}

}  // namespace

Progress::Progress(size_t steps, absl::optional<Interval> line_interval)
    : steps_(steps), start_(std::chrono::steady_clock::now()) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  if (!is_terminal && !line_interval) return;
  try {
    thread_ = is_terminal ? std::thread([this] { DrawUntilDone(); })
                          : std::thread([this, interval = *line_interval] {
                              PrintLinesUntilDone(interval);
                            });
  } catch (const std::system_error&) {
    // If the thread cannot be started, the work proceeds without showing its
    // progress.
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::Begin(std::string what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++begun_;
  what_ = std::move(what);
  search_.reset();
}

void Progress::Show(const SearchProgress& progress) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!search_) search_.emplace(progress, progress);
  search_->second = progress;
}

std::string Progress::LineNow() const {
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - start_);
  if (!search_) return Line(begun_, steps_, what_, passed.count());
  return OneLine(absl::StrCat(GapLine(search_->first, search_->second), ", ",
                              passed.count(), "s ", what_));
}

void Progress::DrawUntilDone() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_done = [this] { return done_; };
  if (changed_.wait_for(lock, kPatience, is_done)) return;
  do {
    std::string line = LineNow();
    // Truncates the line to the width of the terminal, because a line that
    // wraps cannot be removed.
    line.resize(std::min(line.size(), TerminalColumns() - 1));
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
  } while (!changed_.wait_for(lock, kRefresh, is_done));
  std::fputs("\r\033[K", stderr);
}

void Progress::PrintLinesUntilDone(Interval interval) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return done_; })) {
    std::fprintf(stderr, "stowage: %s\n", LineNow().c_str());
  }
}

}  // namespace stowage::cli
