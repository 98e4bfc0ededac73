// SPDX-License-Identifier: Apache-2.0
#include "src/testing/program_under_test.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/testing/child_process.h"
#include "src/testing/program_planner.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/problem_properties.h"
#include "stowage/testing/properties.h"

namespace stowage::testing {
namespace {

using program::ProgramPlanner;
using Fault = ProgramPlanner::Fault;

constexpr PropertyText kEndsText = {
    "ends",
    "The program ends by itself, in time, and prints little, whatever it is "
    "asked."};
constexpr PropertyText kOutputText = {
    "output", "A run with exit code 0 leaves a plan file that can be read."};

// The name of the property that is left out. A plan file contains the offsets
// of tensors, which also determine the size of the memory, so no tensor can end
// beyond it.
constexpr absl::string_view kBoundsName = "bounds";

void AddProblemProperties(ProgramPlanner* program, FeatureSet claims,
                          std::vector<CheckedProperty>* properties) {
  const ProblemPlanFn planner = [program](const Problem& problem) {
    return program->PlanProblem(problem);
  };
  for (const ProblemProperty& property : ProblemProperties(claims)) {
    properties->push_back(
        {{property.name, property.sentence},
         [planner, check = property.check](const Instance& instance) {
           return instance.is_problem() ? check(planner, instance)
                                        : absl::OkStatus();
         }});
  }
}

std::vector<CheckedProperty> PropertiesOf(ProgramPlanner* program,
                                          PlanKind kind, FeatureSet claims) {
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
           return instance.is_problem()
                      ? absl::OkStatus()
                      : check(planner, instance.records, instance.alignment());
         }});
  }
  if (!claims.empty()) AddProblemProperties(program, claims, &properties);
  return properties;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProgramUnderTest>> ProgramUnderTest::Create(
    const std::vector<std::string>& words, const PlannerCheckOptions& options,
    const StopCondition* stop) {
  auto created = absl::WrapUnique(new ProgramUnderTest(options.kind, stop));
  program::ChildLimits limits;
  limits.timeout = options.run_time_limit;
  limits.is_cancelled = [self = created.get()] { return self->IsStopped(); };
  absl::StatusOr<std::unique_ptr<ProgramPlanner>> program =
      ProgramPlanner::Create(words, limits,
                             options.serve ? ProgramPlanner::Form::kServer
                                           : ProgramPlanner::Form::kOneRun);
  if (!program.ok()) return program.status();
  created->program_ = *std::move(program);
  created->properties_ =
      PropertiesOf(created->program_.get(), options.kind, options.claims);
  return created;
}

PropertyVerdict ProgramUnderTest::CheckProperty(size_t property,
                                                const Instance& instance) {
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
    // If the program crashes on a trace, that does not show whether its plan
    // files are readable.
    if (property >= kCompletenessIndex || property == implicit) {
      verdict = {fault->status,   implicit,       false, 0,
                 fault->instance, fault->instance};
    }
  }
  verdict.runs = program_->run_count() - runs;
  verdict.has_plan = program_->plan_count() > plans;
  return verdict;
}

absl::Status ProgramUnderTest::PlanInstance(const Instance& instance) {
  if (kind_ == PlanKind::kObjects) {
    return program_->PlanObjects(instance.records).status();
  }
  if (instance.is_problem()) {
    const absl::StatusOr<Problem> problem = Problem::Create(SpecOf(instance));
    return problem.ok() ? program_->PlanProblem(*problem).status()
                        : problem.status();
  }
  return program_->PlanOffsets(instance.records, instance.alignment()).status();
}

}  // namespace stowage::testing
