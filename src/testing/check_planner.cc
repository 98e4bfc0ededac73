// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/check_planner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "src/program/child_process.h"
#include "src/program/command_words.h"
#include "src/program/program_planner.h"
#include "src/testing/failure_search.h"
#include "src/testing/random_draws.h"
#include "src/testing/sides.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_records.h"
#include "stowage/usage_record.h"

namespace stowage::testing {
namespace {

using program::ProgramPlanner;
using std::chrono::steady_clock;
using Fault = ProgramPlanner::Fault;

// The properties as they are numbered in the report: two that any run shows,
// and then those of properties.h.
constexpr size_t kEndsIndex = 0;
constexpr size_t kOutputIndex = 1;
constexpr size_t kCompletenessIndex = 2;

constexpr PropertyText kEndsText = {
    "ends",
    "The program ends by itself, in time, and prints little, whatever it is "
    "asked."};
constexpr PropertyText kOutputText = {
    "output", "A run with exit code 0 leaves a plan file that can be read."};

// A plan file says where tensors are, and so how large its memory is.
constexpr absl::string_view kBoundsName = "bounds";

struct CheckedProperty {
  PropertyText text;
  std::function<absl::Status(const Instance&)> check;  // null if implicit
};

std::vector<CheckedProperty> PropertiesOf(ProgramPlanner* program,
                                          PlanKind kind) {
  std::vector<CheckedProperty> properties = {{kEndsText, nullptr},
                                             {kOutputText, nullptr}};
  if (kind == PlanKind::kObjects) {
    const ObjectsPlanFn planner =
        [program](absl::Span<const ByteRecord> records) {
          return program->PlanObjects(records);
        };
    for (const ObjectsProperty& property : AllObjectsProperties()) {
      if (property.name == kBoundsName) continue;
      properties.push_back(
          {{property.name, property.sentence},
           [planner, check = property.check](const Instance& instance) {
             return check(planner, instance.records);
           }});
    }
    return properties;
  }
  const PlanFn planner = [program](absl::Span<const ByteRecord> records,
                                   const Alignments& alignments) {
    return program->PlanOffsets(records, alignments);
  };
  for (const Property& property : AllProperties()) {
    if (property.name == kBoundsName) continue;
    properties.push_back(
        {{property.name, property.sentence},
         [planner, check = property.check](const Instance& instance) {
           return check(planner, instance.records, instance.alignment());
         }});
  }
  return properties;
}

// When the check ends, for all planners of it.
class StopCondition {
 public:
  explicit StopCondition(const PlannerCheckOptions& options)
      : cancelled_(options.cancelled), time_limit_(options.time_limit) {}

  void StartClock() { start_ = steady_clock::now(); }
  bool is_cancelled() const { return cancelled_ != nullptr && *cancelled_; }
  bool is_out_of_time() const {
    return absl::FromChrono(steady_clock::now() - start_) >= time_limit_;
  }
  bool IsMet() const { return is_cancelled() || is_out_of_time(); }

 private:
  const std::atomic<bool>* cancelled_;
  absl::Duration time_limit_;
  steady_clock::time_point start_;
};

// A copy of the program, for one thread.
class ProgramUnderTest : public PlannerUnderTest {
 public:
  static absl::StatusOr<std::unique_ptr<ProgramUnderTest>> Create(
      const std::vector<std::string>& words, const PlannerCheckOptions& options,
      const StopCondition* stop) {
    auto created = absl::WrapUnique(new ProgramUnderTest(options.kind, stop));
    program::ChildLimits limits;
    limits.timeout = options.run_time_limit;
    limits.is_cancelled = [self = created.get()] { return self->IsStopped(); };
    absl::StatusOr<std::unique_ptr<ProgramPlanner>> program =
        ProgramPlanner::Create(words, limits);
    if (!program.ok()) return program.status();
    created->program_ = *std::move(program);
    created->properties_ = PropertiesOf(created->program_.get(), options.kind);
    return created;
  }

  absl::Span<const CheckedProperty> properties() const { return properties_; }
  const absl::Status& error() const { return program_->error(); }
  void Abort() { program_->Abort(); }

  size_t property_count() const override { return properties_.size(); }
  size_t implicit_count() const override { return kCompletenessIndex; }
  bool has_planned() const override { return program_->plan_count() > 0; }
  bool must_stop() const override {
    return IsStopped() || !program_->error().ok();
  }
  // What it writes on the first trace of all it writes on any.
  bool is_shrunk_without_plan(size_t property) const override {
    return property != kOutputIndex;
  }
  void set_interrupt(const std::atomic<bool>* interrupt) override {
    interrupt_ = interrupt;
  }

  PropertyVerdict CheckProperty(size_t property,
                                const Instance& instance) override {
    const size_t runs = program_->run_count();
    const size_t plans = program_->plan_count();
    program_->ClearFault();
    PropertyVerdict verdict;
    verdict.property = property;
    verdict.found = instance;
    if (property < kCompletenessIndex) {
      PlanInstance(instance).IgnoreError();
    } else {
      verdict.status = properties_[property].check(instance);
    }
    verdict.asked = program_->last_instance();
    if (const auto& fault = program_->fault(); fault) {
      const size_t implicit =
          fault->kind == Fault::Kind::kEnd ? kEndsIndex : kOutputIndex;
      // A trace on which it crashes says nothing of unreadable plan files.
      if (property >= kCompletenessIndex || property == implicit) {
        verdict = {fault->status,   implicit,       false, 0,
                   fault->instance, fault->instance};
      }
    }
    verdict.runs = program_->run_count() - runs;
    verdict.has_plan = program_->plan_count() > plans;
    return verdict;
  }

  absl::Status PlanInstance(const Instance& instance) override {
    if (kind_ == PlanKind::kObjects) {
      return program_->PlanObjects(instance.records).status();
    }
    return program_->PlanOffsets(instance.records, instance.alignment())
        .status();
  }

 private:
  ProgramUnderTest(PlanKind kind, const StopCondition* stop)
      : kind_(kind), stop_(stop) {}

  bool IsStopped() const {
    return stop_->IsMet() || (interrupt_ != nullptr && *interrupt_);
  }

  const PlanKind kind_;
  const StopCondition* stop_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::unique_ptr<ProgramPlanner> program_;
  std::vector<CheckedProperty> properties_;
};

// The traces of a check: few, so that they grow from the first to the last.
class GrowingTraces {
 public:
  explicit GrowingTraces(const PlannerCheckOptions& options)
      : options_(options), families_(options.families) {
    if (!families_.empty()) return;
    for (const FamilyInfo& info : AllFamilies()) {
      families_.push_back(info.family);
    }
  }

  Family FamilyOf(size_t trace) const {
    return families_[trace % families_.size()];
  }

  Instance MakeTrace(size_t trace) const {
    const uint64_t seed = options_.seed + trace;
    const Knobs knobs = KnobsOf(trace);
    const size_t size = std::max<size_t>(
        1, options_.max_records * (trace + 1) / options_.traces);
    Instance instance =
        LargeSize(trace) > 0
            ? LargeInstance(FamilyOf(trace), seed, LargeSize(trace), knobs)
            : RandomInstance(FamilyOf(trace), seed, size, knobs);
    if (options_.kind == PlanKind::kObjects || options_.max_alignment == 1) {
      instance.alignments.clear();
    }
    // A file cannot hold the half-open end of the very last task.
    constexpr TaskId kLast = std::numeric_limits<TaskId>::max() - 1;
    for (ByteRecord& record : instance.records) {
      record.first_task = std::min(record.first_task, kLast);
      record.last_task = std::min(record.last_task, kLast);
    }
    return instance;
  }

 private:
  Knobs KnobsOf(size_t trace) const {
    constexpr size_t kUsualAlignment = 256;
    Knobs knobs;
    if (trace / families_.size() % 4 == 1) {
      knobs.max_alignment = std::min(kUsualAlignment, options_.max_alignment);
    } else if (trace / families_.size() % 4 == 3) {
      knobs.max_alignment = options_.max_alignment;
    }
    return knobs;
  }

  // The records that a trace may have if it is a large one; otherwise 0.
  size_t LargeSize(size_t trace) const {
    if (trace % 16 != 15) return 0;
    return trace / 16 % 2 == 0 ? std::min<size_t>(70, options_.large_records)
                               : options_.large_records;
  }

  const PlannerCheckOptions& options_;
  std::vector<Family> families_;
};

}  // namespace

class PlannerCheck::Impl {
 public:
  explicit Impl(PlannerCheckOptions options)
      : options_(std::move(options)), stop_(options_) {}

  absl::Status CreatePlanners(const std::vector<std::string>& words) {
    for (size_t job = 0; job < std::max<size_t>(1, options_.jobs); ++job) {
      auto planner = ProgramUnderTest::Create(words, options_, &stop_);
      if (!planner.ok()) return planner.status();
      planners_.push_back(*std::move(planner));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<PlannerCheckReport> CheckGeneratedTraces() {
    const GrowingTraces sequence(options_);
    FailureSearchOptions search;
    search.traces = options_.traces;
    search.make_trace = [&](size_t trace) { return sequence.MakeTrace(trace); };
    search.max_shrinks = options_.max_shrinks;
    absl::StatusOr<PlannerCheckReport> report = Run(std::move(search));
    if (report.ok() && report->failure) {
      report->failure->family = sequence.FamilyOf(report->failure->trace);
    }
    return report;
  }

  absl::StatusOr<PlannerCheckReport> CheckTrace(Instance trace) {
    if (options_.kind == PlanKind::kObjects) trace.alignments.clear();
    absl::Status status = CheckInstance(trace.records, trace.alignment());
    if (!status.ok()) return status;
    FailureSearchOptions search;
    search.traces = 1;
    search.make_trace = [&](size_t) { return trace; };
    search.max_shrinks = 0;
    return Run(std::move(search));
  }

  void Abort() {
    for (const auto& planner : planners_) planner->Abort();
  }

 private:
  absl::StatusOr<PlannerCheckReport> Run(FailureSearchOptions search) {
    constexpr int kShrinkTimeouts = 10;
    search.keep_going = options_.keep_going;
    search.shrink_time = kShrinkTimeouts * options_.run_time_limit;
    search.on_trace = options_.on_trace;
    stop_.StartClock();
    std::vector<PlannerUnderTest*> planners;
    for (const auto& planner : planners_) planners.push_back(planner.get());
    SearchOutcome outcome = RunFailureSearch(planners, search);
    for (const auto& planner : planners_) {
      if (!planner->error().ok()) return planner->error();
    }
    return ReportOf(std::move(outcome));
  }

  PlannerCheckReport ReportOf(SearchOutcome outcome) const {
    PlannerCheckReport report;
    report.traces = outcome.traces;
    report.runs = outcome.runs;
    for (size_t p = 0; p < outcome.properties.size(); ++p) {
      const PropertyText& text = planners_[0]->properties()[p].text;
      PropertyTally& tally = outcome.properties[p];
      report.properties.push_back({std::string(text.name),
                                   std::string(text.sentence), tally.traces,
                                   std::move(tally.status)});
    }
    if (outcome.failure) {
      report.failure = FailureOf(*std::move(outcome.failure));
      absl::Status* const status =
          &report.properties[report.failure->property].status;
      status->Update(report.failure->status);
    }
    if (outcome.is_stopped) {
      report.end = stop_.is_cancelled() ? PlannerCheckReport::End::kCancelled
                                        : PlannerCheckReport::End::kTimeLimit;
    } else if (report.failure && !options_.keep_going) {
      report.end = PlannerCheckReport::End::kFailure;
    }
    return report;
  }

  PlannerFailure FailureOf(SearchFailure found) const {
    PlannerFailure failure;
    failure.property = found.property;
    failure.trace = found.trace;
    failure.found = std::move(found.found);
    failure.smallest = std::move(found.smallest);
    failure.asked = std::move(found.asked);
    failure.status = std::move(found.status);
    if (failure.property == planners_[0]->property_count()) {
      failure.property = kCompletenessIndex;
      failure.status = absl::InternalError(
          absl::StrCat("the program has planned none of the traces: ",
                       failure.status.message()));
    }
    return failure;
  }

  const PlannerCheckOptions options_;
  StopCondition stop_;
  std::vector<std::unique_ptr<ProgramUnderTest>> planners_;
};

absl::StatusOr<std::unique_ptr<PlannerCheck>> PlannerCheck::Create(
    absl::string_view command, PlannerCheckOptions options) {
  absl::StatusOr<std::vector<std::string>> words =
      program::SplitCommand(command);
  if (!words.ok()) return words.status();
  auto impl = std::make_unique<Impl>(std::move(options));
  absl::Status status = impl->CreatePlanners(*words);
  if (!status.ok()) return status;
  return absl::WrapUnique(new PlannerCheck(std::move(impl)));
}

PlannerCheck::PlannerCheck(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

PlannerCheck::~PlannerCheck() = default;

absl::StatusOr<PlannerCheckReport> PlannerCheck::CheckGeneratedTraces() {
  return impl_->CheckGeneratedTraces();
}

absl::StatusOr<PlannerCheckReport> PlannerCheck::CheckTrace(
    const Instance& trace) {
  return impl_->CheckTrace(trace);
}

void PlannerCheck::Abort() { impl_->Abort(); }

}  // namespace stowage::testing
