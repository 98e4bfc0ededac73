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
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

using program::ProgramPlanner;
using Fault = ProgramPlanner::Fault;

// The name of a property that is not checked, because it cannot fail: a plan
// file contains only the offsets of tensors, and the size of the memory is
// computed from these offsets, so no tensor can end beyond the end of the
// memory.
constexpr absl::string_view kBoundsName = "bounds";

// Adds the properties of `planner`. If `is_of_problems` is true, the properties
// are checked only on problems with constraints.
template <typename Plan>
void AddProperties(const PlannerFn<Plan>& planner,
                   absl::Span<const PropertyOf<Plan>> properties,
                   bool is_of_problems, std::vector<CheckedProperty>* all) {
  for (const PropertyOf<Plan>& property : properties) {
    if (property.name == kBoundsName) continue;
    all->push_back({property.name, property.sentence,
                    [=, check = property.check](const ProblemSpec& spec) {
                      return is_of_problems && !HasConstraints(spec)
                                 ? absl::OkStatus()
                                 : check(planner, spec);
                    }});
  }
}

std::vector<CheckedProperty> PropertiesOf(ProgramPlanner* program,
                                          PlanKind kind, FeatureSet claims) {
  std::vector<CheckedProperty> properties = {
      {"ends",
       "The program ends by itself, in time, and prints little, whatever it is "
       "asked.",
       nullptr},
      {"output", "A run with exit code 0 leaves a plan file that can be read.",
       nullptr}};
  if (kind == PlanKind::kObjects) {
    const ObjectsPlanFn planner = [program](const ProblemSpec& spec) {
      return program->PlanObjects(spec);
    };
    AddProperties(planner, AllObjectsProperties(), false, &properties);
    return properties;
  }
  const PlanFn planner = [program](const ProblemSpec& spec) {
    return program->PlanOffsets(spec);
  };
  AddProperties(planner, AllProperties(), false, &properties);
  if (claims.empty()) return properties;
  AddProperties(planner, absl::MakeConstSpan(ProblemProperties(claims)), true,
                &properties);
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
                                                const ProblemSpec& spec) {
  const size_t runs = program_->run_count();
  const size_t plans = program_->plan_count();
  program_->ClearFault();
  PropertyVerdict verdict;
  verdict.property = property;
  verdict.found = spec;
  if (property < kCompletenessIndex) {
    PlanSpec(spec).IgnoreError();
  } else {
    verdict.status = properties_[property].check(spec);
  }
  verdict.asked = program_->last_spec();
  if (const auto& fault = program_->fault(); fault) {
    const size_t implicit =
        fault->kind == Fault::Kind::kEnd ? kEndsIndex : kOutputIndex;
    // A crash does not show whether the plan files of the program are readable,
    // so it is not reported as the verdict of kOutputIndex.
    if (property >= kCompletenessIndex || property == implicit) {
      verdict = {fault->status, implicit, false, 0, fault->spec, fault->spec};
    }
  }
  verdict.runs = program_->run_count() - runs;
  verdict.has_plan = program_->plan_count() > plans;
  return verdict;
}

absl::Status ProgramUnderTest::PlanSpec(const ProblemSpec& spec) {
  return kind_ == PlanKind::kObjects ? program_->PlanObjects(spec).status()
                                     : program_->PlanOffsets(spec).status();
}

}  // namespace stowage::testing
