// SPDX-License-Identifier: Apache-2.0
// Reads stowage_options, and passes callbacks and tokens to a search.
#ifndef STOWAGE_SRC_C_CALL_OPTIONS_H_
#define STOWAGE_SRC_C_CALL_OPTIONS_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/c/solve.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage::c_api {

// Sets every field except struct_size to its default.
void SetDefaults(stowage_options* options);

// Returns the name of the strategy to use: `given` or, if it is null, the
// default strategy for the kind of plan.
const char* StrategyFor(const Problem& problem, const char* given);

// Calls the callbacks in the options of the caller. Stops the search if a
// callback requests this or throws an exception, or if the token is cancelled.
class CallerObserver : public Observer {
 public:
  explicit CallerObserver(const stowage_options& options) : options_(options) {}

  // Sets the flag that is true once the token is cancelled.
  void Watch(std::shared_ptr<const std::atomic<bool>> is_cancelled) {
    is_cancelled_ = std::move(is_cancelled);
  }

  // Returns whether a search needs this observer, that is, whether a callback
  // or a token is set.
  bool is_needed() const {
    return options_.progress != nullptr || options_.keep_going != nullptr ||
           is_cancelled_ != nullptr;
  }
  bool OnProgress(const SearchProgress& progress) override;
  bool KeepGoing() override;

  // Returns the text of an exception that a callback has thrown, or an empty
  // text if no callback has thrown.
  const std::string& thrown() const { return thrown_; }

 private:
  const stowage_options& options_;
  std::shared_ptr<const std::atomic<bool>> is_cancelled_;  // may be null
  std::string thrown_;
};

// The options of the caller, converted to those of the library. The converted
// options share ownership of the contents of the handles, because a callback
// may free the handles.
class CallOptions {
 public:
  // Reads the options, which may be null. Messages refer to the options as
  // `name`. Errors: InvalidArgument; Unimplemented for an option that this
  // library does not know.
  Status Read(const stowage_options* options, string_view name = "options");

  const SolveOptions& solve_options() const { return solve_options_; }
  // Returns the name of the strategy, or null if the caller has not set one.
  const char* strategy() const { return options_.strategy; }
  const std::string& thrown() const { return observer_.thrown(); }

  // Returns InvalidArgument if the options contain an incumbent.
  Status CheckNoIncumbent() const;

 private:
  std::string name_;
  stowage_options options_ = {};
  CallerObserver observer_{options_};
  std::shared_ptr<const Solution> incumbent_;  // may be null
  SolveOptions solve_options_;
};

}  // namespace stowage::c_api

#endif  // STOWAGE_SRC_C_CALL_OPTIONS_H_
