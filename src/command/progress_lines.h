// SPDX-License-Identifier: Apache-2.0
// Prints the plans and bounds of a search as soon as they are found, in a form
// that programs can read. Each line of standard error is a JSON object. To draw
// a bar for users, use Progress (progress.h).
//
//   {"seconds":0.25,"total_size":96,"lower_bound":80,"nodes":12,"found_by":"…"}
//
// Totals never rise and bounds never fall. If pairs pay for sharing bytes, the
// lines also have a "cost" and a "cost_bound", and costs never rise. The last
// line is the answer, and also has a "status".
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
  // Writes to a file descriptor, which must remain open. Times are measured
  // from this call.
  explicit ProgressLines(int fd);

  // Prints a line if the plan or a bound is better than in the previous line.
  // Prints nothing if writing would block because of a slow reader.
  void Print(const SearchProgress& progress);

  // Prints the answer as the last line, even if a slow reader delays it.
  // `has_costs` is true if plans have costs because of preferences.
  void PrintAnswer(const Solution& solution, bool has_costs);

  // Returns the first error of the system. After an error, nothing is written.
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
