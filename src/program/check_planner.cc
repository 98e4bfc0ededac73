#include "src/program/check_planner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/program/program_planner.h"
#include "src/testing/random_draws.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/shrink.h"
#include "stowage/usage_record.h"

namespace stowage::program {
namespace {

using testing::Family;
using testing::Instance;

struct Check {
  absl::string_view name;
  absl::string_view sentence;
  std::function<absl::Status(const Instance&)> holds;
};

// What is asked of programs before any property. It has no call of its own:
// whatever the program is run for shows it.
constexpr size_t kEnds = 0;
constexpr size_t kCompleteness = 1;

// A plan file says where tensors are, and so how large its memory is.
constexpr absl::string_view kBounds = "bounds";

absl::Status Answer(ProgramPlanner* program, PlanKind kind,
                    const Instance& instance) {
  if (kind == PlanKind::kObjects) {
    return program->PlanObjects(instance.records).status();
  }
  return program->PlanOffsets(instance.records, instance.alignment()).status();
}

Check Ends(ProgramPlanner* program, PlanKind kind) {
  return {"ends",
          "The program ends by itself, in time, and prints little, whatever it "
          "is asked.",
          [program, kind](const Instance& instance) {
            Answer(program, kind, instance).IgnoreError();
            return program->misdeed() ? program->misdeed()->status
                                      : absl::OkStatus();
          }};
}

std::vector<Check> ChecksOf(ProgramPlanner* program, PlanKind kind) {
  std::vector<Check> checks = {Ends(program, kind)};
  if (kind == PlanKind::kObjects) {
    const testing::ObjectsPlanFn planner =
        [program](absl::Span<const ByteRecord> records) {
          return program->PlanObjects(records);
        };
    for (const auto& property : testing::AllObjectsProperties()) {
      if (property.name == kBounds) continue;
      checks.push_back({property.name, property.sentence,
                        [planner, check = property.check](const Instance& i) {
                          return check(planner, i.records);
                        }});
    }
    return checks;
  }
  const testing::PlanFn planner = [program](
                                      absl::Span<const ByteRecord> records,
                                      const Alignments& alignments) {
    return program->PlanOffsets(records, alignments);
  };
  for (const auto& property : testing::AllProperties()) {
    if (property.name == kBounds) continue;
    checks.push_back({property.name, property.sentence,
                      [planner, check = property.check](const Instance& i) {
                        return check(planner, i.records, i.alignment());
                      }});
  }
  return checks;
}

class Checker {
 public:
  Checker(ProgramPlanner* program, const CheckOptions& options)
      : program_(program),
        options_(options),
        families_(options.families),
        checks_(ChecksOf(program, options.kind)) {
    if (families_.empty()) {
      for (const auto& info : testing::AllFamilies()) {
        families_.push_back(info.family);
      }
    }
    for (const Check& check : checks_) {
      report_.verdicts.push_back(
          {std::string(check.name), std::string(check.sentence), 0, {}});
    }
  }

  absl::StatusOr<CheckReport> Run();

 private:
  bool IsStopped() const { return options_.stop != nullptr && *options_.stop; }
  // Whether there is anything left to find out.
  bool GoesOn() const {
    return !IsStopped() && program_->error().ok() &&
           report_.verdicts[kEnds].status.ok();
  }
  Family FamilyOf(size_t trace) const {
    return families_[trace % families_.size()];
  }
  // The records that a trace may have if it is a large one; otherwise 0.
  size_t LargeSize(size_t trace) const {
    if (trace % 16 != 15) return 0;
    return trace / 16 % 2 == 0 ? std::min<size_t>(70, options_.large_records)
                               : options_.large_records;
  }
  Instance Draw(size_t trace) const;
  void CheckAll(size_t trace, const Instance& instance);
  void CheckOne(size_t index, size_t trace, const Instance& instance);
  void Fail(size_t index, size_t trace, const Instance& instance,
            absl::Status status);
  void FailWithoutPlans();
  void Shrink();

  ProgramPlanner* program_;
  const CheckOptions& options_;
  std::vector<Family> families_;
  std::vector<Check> checks_;
  CheckReport report_;
};

absl::StatusOr<CheckReport> Checker::Run() {
  for (size_t trace = 0; trace < options_.traces && GoesOn(); ++trace) {
    if (options_.begin) options_.begin(trace);
    ++report_.traces;
    CheckAll(trace, Draw(trace));
  }
  if (GoesOn() && !report_.failure && program_->plans() == 0) {
    FailWithoutPlans();
  }
  if (report_.failure && program_->error().ok()) {
    if (options_.begin) options_.begin(options_.traces);
    Shrink();
  }
  if (!program_->error().ok()) return program_->error();
  report_.runs = program_->runs();
  report_.is_stopped = IsStopped();
  return std::move(report_);
}

Instance Checker::Draw(size_t trace) const {
  const size_t size =
      std::max<size_t>(1, options_.max_records * (trace + 1) / options_.traces);
  constexpr size_t kUsualAlignment = 256;
  testing::Knobs knobs;
  if (trace / families_.size() % 4 == 1) {
    knobs.max_alignment = std::min(kUsualAlignment, options_.max_alignment);
  } else if (trace / families_.size() % 4 == 3) {
    knobs.max_alignment = options_.max_alignment;
  }
  const uint64_t seed = options_.seed + trace;
  Instance instance =
      LargeSize(trace) > 0
          ? testing::LargeInstance(FamilyOf(trace), seed, LargeSize(trace),
                                   knobs)
          : testing::RandomInstance(FamilyOf(trace), seed, size, knobs);
  if (options_.kind == PlanKind::kObjects || options_.max_alignment == 1) {
    instance.alignments.clear();
  }
  // The half-open end of the very last task is in no file.
  constexpr TaskId kLast = std::numeric_limits<TaskId>::max() - 1;
  for (ByteRecord& record : instance.records) {
    record.first_task = std::min(record.first_task, kLast);
    record.last_task = std::min(record.last_task, kLast);
  }
  return instance;
}

void Checker::CheckAll(size_t trace, const Instance& instance) {
  for (size_t i = kEnds + 1; i < checks_.size() && GoesOn(); ++i) {
    if (report_.verdicts[i].status.ok()) CheckOne(i, trace, instance);
  }
  if (GoesOn()) ++report_.verdicts[kEnds].traces;
}

void Checker::CheckOne(size_t index, size_t trace, const Instance& instance) {
  const size_t plans = program_->plans();
  absl::Status status = checks_[index].holds(instance);
  // What a run that was stopped seems to say is not the program's word.
  if (!GoesOn()) return;
  if (program_->misdeed()) {
    const ProgramPlanner::Misdeed misdeed = *program_->misdeed();
    Fail(kEnds, trace, misdeed.asked, misdeed.status);
  } else if (!status.ok()) {
    Fail(index, trace, instance, std::move(status));
  } else if (program_->plans() > plans) {
    ++report_.verdicts[index].traces;
  }
}

void Checker::Fail(size_t index, size_t trace, const Instance& instance,
                   absl::Status status) {
  report_.verdicts[index].status = status;
  if (report_.failure && report_.failure->verdict < index) return;
  CheckFailure& failure = report_.failure.emplace();
  failure.verdict = index;
  failure.family = FamilyOf(trace);
  failure.trace = trace;
  failure.found = instance;
  failure.asked = program_->asked();
  failure.status = std::move(status);
}

// Nothing is wrong where nothing is planned, but nothing is known either.
void Checker::FailWithoutPlans() {
  for (size_t trace = 0; trace < options_.traces; ++trace) {
    const Instance instance = Draw(trace);
    if (!testing::IsPlannable(instance)) continue;
    const absl::Status answer = Answer(program_, options_.kind, instance);
    if (!GoesOn() || answer.ok()) return;
    Fail(kCompleteness, trace, instance,
         absl::InternalError(absl::StrCat("the program has planned none of ",
                                          options_.traces,
                                          " traces: ", answer.message())));
    return;
  }
}

void Checker::Shrink() {
  CheckFailure& failure = *report_.failure;
  const auto start = std::chrono::steady_clock::now();
  const auto still_fails = [&](absl::Span<const ByteRecord> records,
                               const Alignments& alignments) {
    const auto passed = std::chrono::steady_clock::now() - start;
    if (IsStopped() || !program_->error().ok() ||
        absl::FromChrono(passed) >= options_.shrink_time) {
      return false;
    }
    const Instance smaller = testing::MakeInstance(records, alignments);
    program_->Forget();
    absl::Status status = checks_[failure.verdict].holds(smaller);
    if (status.ok() || IsStopped()) return false;
    failure.status = std::move(status);
    failure.asked = program_->asked();
    return true;
  };
  failure.smallest =
      testing::ShrinkRecords(failure.found.records, failure.found.alignment(),
                             still_fails, options_.max_shrinks);
}

}  // namespace

absl::StatusOr<CheckReport> CheckProgram(ProgramPlanner* program,
                                         const CheckOptions& options) {
  return Checker(program, options).Run();
}

}  // namespace stowage::program
