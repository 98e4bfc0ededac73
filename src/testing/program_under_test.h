// SPDX-License-Identifier: Apache-2.0
// Adapts a program that plans to the interface of the search for failures.
#ifndef STOWAGE_SRC_TESTING_PROGRAM_UNDER_TEST_H_
#define STOWAGE_SRC_TESTING_PROGRAM_UNDER_TEST_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "src/kit/failure_search.h"
#include "src/kit/sides.h"
#include "src/testing/program_planner.h"
#include "stowage/planner.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {

// The indices of properties in the report. The first two properties are
// implicit: any run can show that they fail. The properties of properties.h
// follow.
inline constexpr size_t kEndsIndex = 0;
inline constexpr size_t kOutputIndex = 1;
inline constexpr size_t kCompletenessIndex = 2;

struct CheckedProperty {
  absl::string_view name;
  absl::string_view sentence;
  // Null if the property is implicit.
  std::function<absl::Status(const ProblemSpec&)> check;
};

// Determines when a check stops. Shared by all planners of the check.
class StopCondition {
 public:
  explicit StopCondition(const PlannerCheckOptions& options)
      : cancelled_(options.cancelled), time_limit_(options.time_limit) {}

  void StartClock() { start_ = std::chrono::steady_clock::now(); }
  bool is_cancelled() const { return cancelled_ != nullptr && *cancelled_; }
  bool is_out_of_time() const {
    return absl::FromChrono(std::chrono::steady_clock::now() - start_) >=
           time_limit_;
  }
  bool IsMet() const { return is_cancelled() || is_out_of_time(); }

 private:
  const std::atomic<bool>* cancelled_;
  absl::Duration time_limit_;
  std::chrono::steady_clock::time_point start_;
};

// Runs the program under test for one thread. The processes of the program are
// not shared with other threads.
class ProgramUnderTest : public PlannerUnderTest {
 public:
  // `stop` must outlive the object.
  static absl::StatusOr<std::unique_ptr<ProgramUnderTest>> Create(
      const std::vector<std::string>& words, const PlannerCheckOptions& options,
      const StopCondition* stop);

  absl::Span<const CheckedProperty> properties() const { return properties_; }
  const absl::Status& error() const { return program_->error(); }
  void Abort() { program_->Abort(); }

  size_t property_count() const override { return properties_.size(); }
  size_t implicit_count() const override { return kCompletenessIndex; }
  bool has_planned() const override { return program_->plan_count() > 0; }
  bool must_stop() const override {
    return IsStopped() || !program_->error().ok();
  }
  // Returns whether to shrink a failing trace even though the program has not
  // planned any trace yet. A smaller trace does not help in two cases: a
  // program that writes wrong output for the first trace does so for every
  // trace, and a command that does not exist fails for every trace.
  bool is_shrunk_without_plan(size_t property,
                              const absl::Status& failure) const override {
    return property != kOutputIndex && !absl::IsNotFound(failure);
  }
  void set_interrupt(const std::atomic<bool>* interrupt) override {
    interrupt_ = interrupt;
  }

  PropertyVerdict CheckProperty(size_t property,
                                const ProblemSpec& spec) override;
  absl::Status PlanSpec(const ProblemSpec& spec) override;

 private:
  ProgramUnderTest(PlanKind kind, const StopCondition* stop)
      : kind_(kind), stop_(stop) {}

  bool IsStopped() const {
    return stop_->IsMet() || (interrupt_ != nullptr && *interrupt_);
  }

  const PlanKind kind_;
  const StopCondition* stop_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::unique_ptr<program::ProgramPlanner> program_;
  std::vector<CheckedProperty> properties_;
};

}  // namespace stowage::testing

#endif  // STOWAGE_SRC_TESTING_PROGRAM_UNDER_TEST_H_
