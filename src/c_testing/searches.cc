// SPDX-License-Identifier: Apache-2.0
#include "src/c_testing/searches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/base/str_cat.h"
#include "src/c/border.h"
#include "src/c/handles.h"
#include "src/c/numbers.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/c/testing.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"

namespace stowage::c_api {
namespace {

// The maximum size of samples. A test with larger samples would take too long.
constexpr uint64_t kMaxSize = 10000;
// The limit of both the number of the first sample and the number of samples.
// It keeps the numbers of all samples far below 2^64.
constexpr uint64_t kMaxSamples = uint64_t{1} << 32;

stowage_test_options Defaults() {
  const testing::SearchForFailure search;
  stowage_test_options defaults = {};
  defaults.kind = STOWAGE_OFFSETS;
  defaults.seed = search.seed;
  defaults.samples = search.traces;
  defaults.max_size = search.max_size;
  defaults.large_size = search.large_size;
  defaults.max_alignment = search.max_alignment;
  return defaults;
}

Status CheckAtMost(uint64_t value, uint64_t max, string_view name) {
  if (value <= max) return OkStatus();
  return InvalidArgumentError(
      StrCat(name, ": ", value, "; expected at most ", max));
}

Status CheckTexts(const char* const* texts, uint64_t count, string_view name) {
  Status s = CheckArray(texts, count, name);
  for (size_t i = 0; s.ok() && i < count; ++i) {
    s = CheckPointer(texts[i], StrCat(name, "[", i, "]"));
  }
  return s;
}

Status CheckValues(const stowage_test_options& options) {
  Status s = CheckFlag(options.kind, "options->kind");
  if (s.ok()) s = CheckAtMost(options.first, kMaxSamples, "options->first");
  if (s.ok()) s = CheckAtMost(options.samples, kMaxSamples, "options->samples");
  if (s.ok()) s = CheckAtMost(options.max_size, kMaxSize, "options->max_size");
  if (s.ok()) {
    s = CheckAtMost(options.large_size, kMaxSize, "options->large_size");
  }
  if (s.ok()) {
    s = CheckMaxAlignment(options.max_alignment, "options->max_alignment");
  }
  if (s.ok()) s = ConstraintsOf(options.features, "options->features").status();
  if (s.ok()) {
    s = CheckTexts(options.families, options.family_count, "options->families");
  }
  if (s.ok()) {
    s = CheckTexts(options.claims, options.claim_count, "options->claims");
  }
  if (s.ok() && options.cancel != nullptr) {
    s = CheckHandle(options.cancel, "options->cancel");
  }
  if (s.ok() && options.features != 0 && options.kind != STOWAGE_OFFSETS) {
    return InvalidArgumentError(
        "options->features: set for shared objects; expected 0");
  }
  return s;
}

}  // namespace

Status CheckMaxAlignment(uint64_t alignment, string_view name) {
  constexpr uint64_t kMax = uint64_t{1} << 32;
  const bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (is_power && alignment <= kMax) return OkStatus();
  return InvalidArgumentError(
      StrCat(name, ": ", alignment, "; expected a power of two up to 2^32"));
}

StatusOr<FeatureSet> ConstraintsOf(uint64_t bits, string_view name) {
  const uint64_t known = BitsOf(testing::kConstraintFeatures);
  if ((bits & ~known) == 0) return FeaturesOfBits(bits);
  return InvalidArgumentError(
      StrCat(name, ": ", bits, "; expected bits of FIXED_OFFSETS, PLACES, ",
             "GROUPS, APART, POOLS and PARTIAL_ORDER, which are ", known));
}

StatusOr<stowage_test_options> ReadTestOptions(
    const stowage_test_options* options) {
  stowage_test_options read = Defaults();
  if (options == nullptr) return read;
  if (Status s = CheckGiven(options, "options"); !s.ok()) return s;
  std::memcpy(&read, options, sizeof(read));
  if (Status s = CheckValues(read); !s.ok()) return s;
  return read;
}

StatusOr<testing::SearchForFailure> SearchOfRecords(
    const stowage_test_options& options) {
  testing::SearchForFailure search;
  for (uint64_t i = 0; i < options.family_count; ++i) {
    const StatusOr<testing::Family> family =
        testing::FindFamily(options.families[i]);
    if (!family.ok()) return family.status();
    search.families.push_back(*family);
  }
  search.seed = options.seed;
  search.first = options.first;
  search.traces = options.samples;
  search.max_size = options.max_size;
  search.large_size = options.large_size;
  search.max_alignment = options.max_alignment;
  return search;
}

testing::SearchForProblem SearchOfProblems(
    const stowage_test_options& options) {
  constexpr uint64_t kMaxConstrained = 10;
  testing::SearchForProblem search;
  search.parameters.features =
      ConstraintsOf(options.features, "features").value();
  search.seed = options.seed;
  search.first = options.first;
  search.problems = options.samples;
  search.max_size = std::clamp<uint64_t>(options.max_size, 1, kMaxConstrained);
  return search;
}

}  // namespace stowage::c_api

extern "C" {

stowage_code stowage_test_options_init(stowage_test_options* options,
                                       stowage_error* error) {
  namespace c_api = stowage::c_api;
  return c_api::AtBorder(error, [&] {
    stowage::Status s = c_api::CheckSized(options, "options");
    if (s.ok()) c_api::WriteSized(c_api::Defaults(), options);
    return s;
  });
}

}  // extern "C"
