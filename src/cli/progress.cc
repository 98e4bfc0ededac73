#include "src/cli/progress.h"

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
#include "src/cli/text.h"

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
  line = OneLine(line);
  // A line that wraps cannot be wiped.
  line.resize(std::min(line.size(), TerminalColumns() - 1));
  return line;
}

}  // namespace

Progress::Progress(size_t steps) : steps_(steps) {
  if (isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { DrawUntilDone(); });
  } catch (const std::system_error&) {
    // The work goes on without.
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
}

void Progress::DrawUntilDone() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_done = [this] { return done_; };
  if (changed_.wait_for(lock, kPatience, is_done)) return;
  do {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - start);
    const std::string line = Line(begun_, steps_, what_, passed.count());
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
  } while (!changed_.wait_for(lock, kRefresh, is_done));
  std::fputs("\r\033[K", stderr);
}

}  // namespace stowage::cli
