// SPDX-License-Identifier: Apache-2.0
// The progress of long work, on standard error.
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

// Draws a line on standard error if that is a terminal, once the work has taken
// a second, and wipes it at the end. A thread of its own draws, for a single
// step may take minutes.
class Progress {
 public:
  using Interval = std::chrono::milliseconds;

  // Where standard error is not a terminal, prints a line after each
  // `line_interval`, or nothing if there is none.
  explicit Progress(size_t steps, absl::optional<Interval> line_interval = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The next of the steps begins.
  void Begin(std::string what);

  // What a search has found so far: its gap is drawn in place of the steps,
  // until the next of these begins.
  void Show(const SearchProgress& progress);

 private:
  void DrawUntilDone();
  void PrintLinesUntilDone(Interval interval);
  std::string LineNow() const;  // with mutex_ held

  const size_t steps_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t begun_ = 0;  // by mutex_
  std::string what_;  // by mutex_
  // The first and the last that was shown, by mutex_.
  absl::optional<std::pair<SearchProgress, SearchProgress>> search_;
  bool done_ = false;  // by mutex_
  std::thread thread_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRESS_H_
