// SPDX-License-Identifier: Apache-2.0
// The plans and bounds of a search as it finds them, for programs: a JSON
// object on each line of standard error. A bar for people is Progress
// (progress.h).
//
//   {"seconds":0.25,"total_size":96,"lower_bound":80,"nodes":12,"found_by":"…"}
//
// Totals never rise and bounds never fall; the last line is the answer, and has
// a "status" besides.
#ifndef STOWAGE_SRC_COMMAND_PROGRESS_LINES_H_
#define STOWAGE_SRC_COMMAND_PROGRESS_LINES_H_

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::cli {

class ProgressLines {
 public:
  // Writes to a file descriptor, which must stay open. Time counts from now.
  explicit ProgressLines(int fd);

  // A line, if the plan or the bound is better than that of the last one. A
  // line that would have to wait for a slow reader is left out.
  void Print(const SearchProgress& progress);

  // The last line, in any case.
  void PrintAnswer(const Solution& solution);

  // The first error of the system. Nothing is written after it.
  const absl::Status& status() const { return status_; }

 private:
  double Seconds() const;
  bool WouldWait() const;
  void Write(const std::string& line);

  const int fd_;
  const std::chrono::steady_clock::time_point start_;
  absl::optional<SearchProgress> last_;
  absl::Status status_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRESS_LINES_H_
