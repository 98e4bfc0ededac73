// SPDX-License-Identifier: Apache-2.0
// Tests a planner that is a C function. Searches for a problem on which the
// planner violates a property that every correct planner has, and shrinks this
// problem. This header belongs to the static library stowage::c_testing, which
// is not part of libstowage.so.1. In C++, use stowage/testing/find_failure.h.
// For a planner in a separate program, use `stowage check-planner`.
//
//   stowage_test_options options;
//   options.struct_size = sizeof(options);
//   summary.struct_size = sizeof(summary);
//   if (stowage_test_options_init(&options, &error) ||
//       stowage_test_planner(&my_planner, NULL, &options, &report, &error) ||
//       stowage_test_report_summary(report, &summary, &error)) {
//     fprintf(stderr, "%s\n", error.message);
//   } else if (summary.has_failed) {
//     fprintf(stderr, "%s%s\n", summary.description, summary.replay);
//   }
//   stowage_test_report_free(report);
//
// docs/test-your-planner.md lists the families of problems and the properties,
// and has a complete program. The rules for handles, errors, structs and
// callbacks are those of stowage.h.
#ifndef STOWAGE_C_TESTING_H_
#define STOWAGE_C_TESTING_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#include "stowage/c/error.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Problems

// Return the name of a family of usage records, such as "chains", and a
// sentence that describes its records and the planners that fail on them.
// Return null if `index` is not below the number of families.
const char* stowage_family_name(size_t index);
const char* stowage_family_sentence(size_t index);

// Creates a random problem of a family from `size` random samples. Each sample
// gives one record or, in families of networks, a block of records.
// `max_alignment` must be a power of two. If it is above 1, every record has a
// random alignment of at most `max_alignment`. The same arguments give the same
// problem on every machine. Errors: NOT_FOUND for an unknown family;
// INVALID_ARGUMENT for an invalid alignment; RESOURCE_EXHAUSTED for more than
// 10,000 samples; OUT_OF_RANGE if the sum of the sizes exceeds 2^64 - 1, which
// happens only in the family "overflowing_sizes". O(s log s) for s samples.
stowage_code stowage_family_problem(const char* family, uint64_t seed,
                                    uint64_t size, uint64_t max_alignment,
                                    stowage_problem** problem,
                                    stowage_error* error);

// Creates a random problem of `size` records with constraints of the given
// `features`. `features` has a bit 1 << STOWAGE_FEATURE_... for each feature;
// the problem uses some of them. The permitted features are FIXED_OFFSETS,
// PLACES, GROUPS, APART, POOLS and PARTIAL_ORDER. Every problem has a plan,
// because it is created from a plan. Errors: INVALID_ARGUMENT for any other
// feature; RESOURCE_EXHAUSTED for more than 1000 records. O(size^3).
stowage_code stowage_random_problem(uint64_t features, uint64_t seed,
                                    uint64_t size, stowage_problem** problem,
                                    stowage_error* error);

// ---- Tests of a planner

// Returns a line of text that explains why the last call of the planner
// returned an error, or null if the reason is unknown. The text is copied
// before the planner or this function is called again.
typedef const char* (*stowage_test_reason_fn)(void* context);

typedef struct {
  uint32_t struct_size;
  // The kind of plan, STOWAGE_OFFSETS by default. With STOWAGE_OBJECTS, the
  // planner must set places[i] to the number of the shared object of record i.
  uint32_t kind;
  uint64_t seed;  // is 1 by default
  // The generated problems are called samples and are numbered from 0. `first`
  // is the number of the first sample to try, 0 by default. `samples` is the
  // number of samples to try, 2000 by default. A seed and a number always give
  // the same problem, whatever `first` is. Problems with higher numbers are
  // larger: if all families are used, the first 64 problems have no records.
  uint64_t first;
  uint64_t samples;
  // The maximum `size` of a problem, as for stowage_family_problem(). The
  // default is 20. If `features` is not 0, the size is never above 10.
  uint64_t max_size;
  // One problem in 40 is large. Half of the large problems have up to 70
  // records, and the other half up to `large_size` records. Large problems fill
  // tables of 64 or 256 entries, and thus reveal errors in planners that use
  // such tables. The default is 300. With 0, no problem is large.
  uint64_t large_size;
  // Every second problem of a family has alignments. They are at most 256 in
  // half of these problems, and at most `max_alignment` in the other half.
  // `max_alignment` must be a power of two, and is 2^17 by default. With 1, no
  // problem has alignments. Ignored for shared objects.
  uint64_t max_alignment;
  // A bit 1 << STOWAGE_FEATURE_... for each feature that the planner claims to
  // support. With 0, the default, problems consist of records with alignments.
  // Otherwise, problems have constraints of these features and come from
  // stowage_random_problem(). In this case `families`, `large_size` and
  // `max_alignment` are ignored, and the kind must be STOWAGE_OFFSETS.
  uint64_t features;
  // The names of the families, which successive problems use in turn. Null and
  // 0, the defaults, mean all families.
  const char* const* families;
  uint64_t family_count;
  // The names of additional properties that the planner claims, such as
  // "not_above_naive". Null and 0, the defaults, mean no additional properties.
  // Ignored if `features` is not 0.
  const char* const* claims;
  uint64_t claim_count;
  stowage_test_reason_fn reason;  // is null by default
  // A token that stops the test early when it is cancelled. It is null by
  // default.
  const stowage_cancel_token* cancel;
} stowage_test_options;

// Sets all options to their defaults. The caller must set options->struct_size
// first. Error: INVALID_ARGUMENT if struct_size is below the size of version 1
// or above 4096 bytes.
stowage_code stowage_test_options_init(stowage_test_options* options,
                                       stowage_error* error);

typedef struct stowage_test_report stowage_test_report;

// Tests a planner on generated problems. Passes `context` to each call of the
// planner. `options` may be null. The planner must return one of these codes:
//   STOWAGE_OK             it has set the place of each record
//   STOWAGE_UNIMPLEMENTED  it does not claim to support the problem, for
//                          example because the problem has alignments or
//                          records out of order; this is not a failure
//   another code           the problem has no plan
// No problem has a capacity of its own, but with the feature POOLS a pool may
// have one. The planner is not called for problems that
// stowage_problem_create() refuses. `problem` is valid only during the call,
// and all places and pools are 0 before the call.
//
// If the planner fails, this function returns STOWAGE_OK and the report
// describes the failure. The planner fails if it makes an unsafe plan, throws
// an exception, writes beyond the last place, or returns another code for a
// problem that has a plan. However, another code is permitted if a record must
// end at or below a given byte or if a pool has a capacity, because finding a
// plan in limited memory may require a long search. If `features` is 0, the
// planner also fails if it does not plan any problem.
//
// The test stops at the first failure and shrinks it, trying at most a few
// thousand smaller problems. For each sample, the planner is called about 13
// times, or with constraints, about 6 times plus once for each feature. Each
// claim adds further calls. Errors: NOT_FOUND for an unknown family or claim;
// INVALID_ARGUMENT for any other invalid option.
stowage_code stowage_test_planner(stowage_strategy_fn planner, void* context,
                                  const stowage_test_options* options,
                                  stowage_test_report** report,
                                  stowage_error* error);
void stowage_test_report_free(stowage_test_report* report);

typedef struct {
  uint32_t struct_size;
  uint32_t has_failed;  // is 1 if a property does not hold
  // 1 if the token stopped the test. A failure may then be only partly shrunk.
  uint32_t is_cancelled;
  uint32_t reserved;
  uint64_t runs;    // the number of calls of the planner
  uint64_t sample;  // the number of the sample that failed, counted from 0
  // These texts belong to the report. They are null unless has_failed is 1.
  const char* property;  // the name of the property, such as "safety"
  const char* sentence;  // says what should hold
  const char* message;   // says what is wrong
  // Several lines of text that contain `property`, `sentence` and `message`,
  // and the problem of the last call of the planner.
  const char* description;
  // Code that sets options so that a test of the same planner repeats only this
  // failure, if the planner is deterministic, for example "options.seed = 1;
  // options.first = 66; options.samples = 1;"
  const char* replay;
} stowage_test_summary;
stowage_code stowage_test_report_summary(const stowage_test_report* report,
                                         stowage_test_summary* summary,
                                         stowage_error* error);

// Each failure has three problems:
//   STOWAGE_TEST_SMALLEST  the smallest problem that violates the property
//   STOWAGE_TEST_ASKED     the problem of the last call of the planner; a
//                          property may derive it from the smallest problem,
//                          for example by reordering the records
//   STOWAGE_TEST_FOUND     the problem that first violated the property
enum {
  STOWAGE_TEST_SMALLEST = 0,
  STOWAGE_TEST_ASKED = 1,
  STOWAGE_TEST_FOUND = 2
};

// Creates the problem of the failure that `which` selects. The caller owns the
// problem. Errors: FAILED_PRECONDITION if there is no failure; INVALID_ARGUMENT
// if `which` is not one of the values above.
stowage_code stowage_test_report_problem(const stowage_test_report* report,
                                         uint32_t which,
                                         stowage_problem** problem,
                                         stowage_error* error);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_TESTING_H_
