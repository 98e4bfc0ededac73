// A line on the terminal that says how far long work has come.
#ifndef STOWAGE_SRC_CLI_PROGRESS_H_
#define STOWAGE_SRC_CLI_PROGRESS_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace stowage::cli {

// Draws on standard error if that is a terminal, once the work has taken a
// second, and wipes the line at the end. A thread of its own draws, for a
// single step may take minutes.
class Progress {
 public:
  explicit Progress(size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Starts the next of the steps.
  void Begin(std::string what);

 private:
  void DrawUntilDone();

  const size_t steps_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t begun_ = 0;   // by mutex_
  std::string what_;   // by mutex_
  bool done_ = false;  // by mutex_
  std::thread thread_;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_PROGRESS_H_
