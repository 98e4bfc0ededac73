// SPDX-License-Identifier: Apache-2.0
// Shows the progress of long work on standard error.
#ifndef STOWAGE_SRC_COMMAND_PROGRESS_H_
#define STOWAGE_SRC_COMMAND_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/types/optional.h"
#include "stowage/strategy.h"

namespace stowage::cli {

// Draws a line on standard error if standard error is a terminal. The line
// appears after the work has taken a second, and is removed at the end. A
// separate thread draws the line, since a single step may take minutes. For
// programs, use ProgressLines (progress_lines.h).
class Progress {
 public:
  using Interval = std::chrono::milliseconds;

  // If standard error is not a terminal, prints a line after each
  // `line_interval`, or nothing if `line_interval` is not given.
  explicit Progress(size_t steps, absl::optional<Interval> line_interval = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins the next step.
  void Begin(std::string what);

  // Shows the progress of a search. Until the next step begins, the line shows
  // the gap of the search instead of the steps.
  void Show(const SearchProgress& progress);

 private:
  void DrawUntilDone();
  void PrintLinesUntilDone(Interval interval);
  std::string LineNow() const;  // requires that mutex_ is held

  const size_t steps_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t begun_ = 0;  // is guarded by mutex_
  std::string what_;  // is guarded by mutex_
  // The first and the latest progress that was shown. Guarded by mutex_.
  absl::optional<std::pair<SearchProgress, SearchProgress>> search_;
  bool done_ = false;  // is guarded by mutex_
  std::thread thread_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRESS_H_
