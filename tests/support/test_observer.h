// SPDX-License-Identifier: Apache-2.0
// Defines an observer of searches whose behavior is determined by a test.
#ifndef STOWAGE_TESTS_SUPPORT_TEST_OBSERVER_H_
#define STOWAGE_TESTS_SUPPORT_TEST_OBSERVER_H_

#include <functional>
#include <utility>

#include "stowage/strategy.h"

namespace stowage::support {

class TestObserver final : public Observer {
 public:
  using ProgressFn = std::function<bool(const SearchProgress&)>;
  using KeepGoingFn = std::function<bool()>;

  // A function that is null is never called and never stops a search.
  explicit TestObserver(ProgressFn on_progress,
                        KeepGoingFn keep_going = nullptr)
      : on_progress_(std::move(on_progress)),
        keep_going_(std::move(keep_going)) {}

  bool OnProgress(const SearchProgress& progress) override {
    return on_progress_ == nullptr || on_progress_(progress);
  }
  bool KeepGoing() override { return keep_going_ == nullptr || keep_going_(); }

 private:
  const ProgressFn on_progress_;
  const KeepGoingFn keep_going_;
};

// Ends every search at once.
class ImpatientObserver final : public Observer {
 public:
  bool KeepGoing() override { return false; }
};

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_TEST_OBSERVER_H_
