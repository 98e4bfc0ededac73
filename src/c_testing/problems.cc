// SPDX-License-Identifier: Apache-2.0
// Defines the functions of stowage/c/testing.h that make families of problems
// and random problems.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c_testing/searches.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/testing.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"

namespace stowage::c_api {
namespace {

// The maximum `size` of a problem of a family and of a random problem.
// Generating larger problems would take too long.
constexpr uint64_t kMaxFamilySize = 10000;
constexpr uint64_t kMaxRandomSize = 1000;

Status CheckSize(uint64_t size, uint64_t max) {
  if (size <= max) return OkStatus();
  return ResourceExhaustedError(
      StrCat("size: ", size, "; expected at most ", max));
}

Status HandOver(ProblemSpec spec, stowage_problem** problem) {
  auto checked = Problem::Create(std::move(spec));
  if (!checked.ok()) return checked.status();
  *problem = new stowage_problem(*std::move(checked));
  return OkStatus();
}

Status FamilyProblem(const char* name, uint64_t seed, uint64_t size,
                     uint64_t max_alignment, stowage_problem** problem) {
  Status s = CheckPointer(problem, "problem");
  if (s.ok()) s = CheckPointer(name, "family");
  if (s.ok()) s = CheckMaxAlignment(max_alignment, "max_alignment");
  if (s.ok()) s = CheckSize(size, kMaxFamilySize);
  if (!s.ok()) return s;
  const StatusOr<testing::Family> family = testing::FindFamily(name);
  if (!family.ok()) return family.status();
  testing::Parameters parameters;
  parameters.max_alignment = max_alignment;
  return HandOver(testing::RandomInstance(*family, seed, size, parameters),
                  problem);
}

Status RandomProblem(uint64_t features, uint64_t seed, uint64_t size,
                     stowage_problem** problem) {
  Status s = CheckPointer(problem, "problem");
  if (s.ok()) s = CheckSize(size, kMaxRandomSize);
  if (!s.ok()) return s;
  const StatusOr<FeatureSet> claimed = ConstraintsOf(features, "features");
  if (!claimed.ok()) return claimed.status();
  testing::ProblemParameters parameters;
  parameters.features = *claimed;
  return HandOver(testing::RandomProblem(seed, size, parameters), problem);
}

const testing::FamilyInfo* FamilyAt(size_t index) {
  const auto all = testing::AllFamilies();
  return index < all.size() ? &all[index] : nullptr;
}

}  // namespace
}  // namespace stowage::c_api

namespace c_api = stowage::c_api;

extern "C" {

// The texts are literals and thus end with a 0.
const char* stowage_family_name(size_t index) {
  const auto* const family = c_api::FamilyAt(index);
  return family == nullptr ? nullptr : family->name.data();
}

const char* stowage_family_sentence(size_t index) {
  const auto* const family = c_api::FamilyAt(index);
  return family == nullptr ? nullptr : family->sentence.data();
}

stowage_code stowage_family_problem(const char* family, uint64_t seed,
                                    uint64_t size, uint64_t max_alignment,
                                    stowage_problem** problem,
                                    stowage_error* error) {
  if (problem != nullptr) *problem = nullptr;
  return c_api::AtBorder(error, [&] {
    return c_api::FamilyProblem(family, seed, size, max_alignment, problem);
  });
}

stowage_code stowage_random_problem(uint64_t features, uint64_t seed,
                                    uint64_t size, stowage_problem** problem,
                                    stowage_error* error) {
  if (problem != nullptr) *problem = nullptr;
  return c_api::AtBorder(error, [&] {
    return c_api::RandomProblem(features, seed, size, problem);
  });
}

}  // extern "C"
