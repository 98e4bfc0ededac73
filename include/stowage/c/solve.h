// SPDX-License-Identifier: Apache-2.0
// Chapter 3 of stowage.h: functions that make plans. They plan an array of
// records, with or without allocating memory, or solve a problem with options.
//
//   stowage_code code = stowage_assign_offsets(records, count, 64, NULL,
//                                              offsets, &total, &error);
#ifndef STOWAGE_C_SOLVE_H_
#define STOWAGE_C_SOLVE_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#include "stowage/c/error.h"
#include "stowage/c/problem.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// ---- Plans without handles

typedef struct {
  uint64_t size;        // is in bytes
  uint64_t first_task;  // inclusive
  uint64_t last_task;   // inclusive
  // Initially the fixed offset of the record, or STOWAGE_NONE if the call
  // should choose the offset. The call sets it to the offset of the record in
  // the plan.
  uint64_t offset;
} stowage_placed_record;

// The number of bytes of workspace for `count` records; a constant expression
// if `count` is one. The workspace must be aligned to
// STOWAGE_WORKSPACE_ALIGNMENT.
#define STOWAGE_WORKSPACE_BYTES(count) ((size_t)8 * (count))
#define STOWAGE_WORKSPACE_ALIGNMENT 4u
// The maximum number of records that can be planned in place.
#define STOWAGE_MAX_IN_PLACE ((size_t)1 << 30)

// Chooses the offset of every record that has the offset STOWAGE_NONE, around
// the records with fixed offsets, and sets *total to the size of the arena in
// bytes. Allocates no memory and keeps no state, so it may be called at any
// time and on any thread, as long as nothing else uses its arguments. Places
// records by decreasing size; if sizes are equal, it places the later record
// first. Each record gets the lowest offset at which it fits. For smaller
// plans, use the other functions of this header. `alignment` must be a power of
// two, and all offsets are multiples of it. Sizes are rounded up to multiples
// of `alignment`, and *total counts the rounded sizes. The algorithm is that of
// stowage/micro/plan.h, with 64-bit numbers. The initial content of the
// workspace is ignored.
//
// Errors, which name records and leave every offset and *total unchanged:
// INVALID_ARGUMENT for an invalid alignment, for a workspace that is too small
// or misaligned, for a record with its last task before its first, and for
// fixed records that are misaligned or overlap; OUT_OF_RANGE for more than
// STOWAGE_MAX_IN_PLACE records or 2^64 - 1 bytes.
//
// O(n (log n + c log c)) for n records, each of which conflicts with c others,
// plus at most O(f n) to check f fixed records.
stowage_code stowage_plan_in_place(stowage_placed_record* records, size_t count,
                                   uint64_t alignment, void* workspace,
                                   size_t workspace_bytes, uint64_t* total,
                                   stowage_error* error);

// Plans records with the named strategy, or with "skyline" if `strategy` is
// null. Writes the offset of each record to `offsets`, and sets *total to the
// size of the arena in bytes. Errors: those of stowage_problem_create() and
// stowage_solve().
stowage_code stowage_assign_offsets(const stowage_record* records, size_t count,
                                    uint64_t alignment, const char* strategy,
                                    uint64_t* offsets, uint64_t* total,
                                    stowage_error* error);

// ---- Options

typedef struct stowage_solution stowage_solution;
typedef struct stowage_cancel_token stowage_cancel_token;

// The best plan and the best bound that a search has found so far.
typedef struct {
  uint32_t struct_size;  // is set by the library
  uint32_t reserved;
  uint64_t total_size;   // is in bytes and may exceed the capacity
  uint64_t lower_bound;  // is in bytes
  uint64_t nodes;        // the nodes that have been searched so far
  // The name of the part of the strategy that found the plan. Valid only during
  // the call.
  const char* found_by;
} stowage_progress;

// Functions of the caller that observe a search. If either function returns a
// value other than 0, the search stops, and neither function is called again.
// stowage_progress_fn is called for the first plan and for every better plan or
// bound. There are two exceptions, in which it is not called: if pairs of
// records have costs (stowage_builder_prefer_apart()), because stowage_progress
// has no field for costs; and under any other constraints that the library
// cannot reduce to simpler problems. stowage_keep_going_fn is called at least
// every 20 ms. Only searches call it: "skyline" and most other strategies do
// not search. They end by themselves, and ignore limits and cancellation.
typedef int32_t (*stowage_progress_fn)(void* context,
                                       const stowage_progress* progress);
typedef int32_t (*stowage_keep_going_fn)(void* context);

typedef struct {
  uint32_t struct_size;
  uint32_t threads;  // is 1 by default; 0 means one on each core
  // The name of the strategy. Null, the default, means "skyline", or
  // "greedy_best" for shared objects.
  const char* strategy;
  // The time limit in nanoseconds, 100,000,000 by default. INT64_MAX means no
  // limit. With 0 or less, no time is left for a search. A search may exceed
  // the limit by up to 50 ms.
  int64_t time_limit_ns;
  // The maximum number of nodes of a search. With STOWAGE_NONE, the default,
  // only the time limit applies. Any other value replaces the time limit. The
  // plan is then the same on every machine and for any number of threads.
  uint64_t node_budget;
  uint64_t seed;  // is 1 by default
  // If 1, the search stops at the first plan within the capacity. The default
  // is 0.
  uint32_t decide;
  // If 1, and the strategy does not support groups or partial orders, the
  // strategy gets a relaxed problem. In it, one record replaces each group, and
  // a single sequence of tasks replaces the partial order. The resulting plan
  // is safe, but may be larger than necessary. The default is 0.
  uint32_t relax_to_boxes;
  // A plan that the caller already has, or null, the default. This plan is
  // verified, and returned unless a better plan is found.
  const stowage_solution* incumbent;
  const stowage_cancel_token* cancel;  // is null by default
  stowage_progress_fn progress;        // is null by default
  stowage_keep_going_fn keep_going;    // is null by default
  void* context;  // is null by default, and is passed to both functions
} stowage_options;

// Sets all options to their defaults. The caller must set options->struct_size
// first. Error: INVALID_ARGUMENT if struct_size is below the size of version 1
// or above 4096 bytes.
stowage_code stowage_options_init(stowage_options* options,
                                  stowage_error* error);

// A token that cancels searches. stowage_cancel() stops all searches that use
// the token, including those that start later. It only stores to an atomic, so
// it may be called in a signal handler and on any thread. It accepts null. A
// cancelled search is not an error: the solution has the best plan that was
// found before the cancellation, or no plan.
stowage_cancel_token* stowage_cancel_token_new(void);
void stowage_cancel_token_free(stowage_cancel_token* token);
void stowage_cancel(stowage_cancel_token* token);

// ---- Solving

// Solves a problem. `options` may be null. Verifies every plan before returning
// it. If a search finds no plan, this is not an error; the status in the
// summary of the solution gives the reason. Errors: NOT_FOUND for an unknown
// strategy; UNIMPLEMENTED if the strategy lacks features (the error has all of
// them), or if an option is set that this library does not know;
// RESOURCE_EXHAUSTED for too many records; INVALID_ARGUMENT, with records, for
// an unsafe incumbent.
stowage_code stowage_solve(const stowage_problem* problem,
                           const stowage_options* options,
                           stowage_solution** solution, stowage_error* error);
void stowage_solution_free(stowage_solution* solution);

// A strategy that the caller provides. It must set places[i] to the offset of
// record i, or to the number of its shared object, and pools[i] to the pool of
// record i. All entries are 0 before the call. `pools` is null if there are no
// pools. `problem` is valid only during the call.
//
// `problem` may be simpler than the problem that is solved: it may have
// different intervals, no pools, or fewer records with different indices. For
// example, it may have only the records of one pool, or one record for each
// group. The strategy must therefore read the records from `problem`; `places`
// and `pools` have one entry for each of these records
// (stowage_problem_info::count). The strategy may be called many times. If it
// returns a code other than STOWAGE_OK, it is not called again, and
// stowage_solve_with() returns this code.
typedef stowage_code (*stowage_strategy_fn)(void* context,
                                            const stowage_problem* problem,
                                            uint64_t* places, uint32_t* pools);

// Solves a problem with a strategy of the caller. `features` has a bit 1 <<
// STOWAGE_FEATURE_... for each feature that the strategy supports. The strategy
// may ignore the capacity: a plan above the capacity is discarded, and the
// status is STOWAGE_OVER_CAPACITY. options->strategy must be null. Errors:
// those of stowage_solve(); FAILED_PRECONDITION, with records, for an unsafe
// plan; the code that the strategy returns, or INTERNAL if this number is not a
// stowage_code.
stowage_code stowage_solve_with(const stowage_problem* problem,
                                uint64_t features, stowage_strategy_fn strategy,
                                void* context, const stowage_options* options,
                                stowage_solution** solution,
                                stowage_error* error);

// Returns the name of a strategy in this library, or null if `index` is not
// below the number of strategies. The names are sorted.
const char* stowage_strategy_name(size_t index);
// Sets *features to the features that a strategy supports. Each feature is a
// bit 1 << STOWAGE_FEATURE_...
stowage_code stowage_strategy_features(const char* strategy, uint64_t* features,
                                       stowage_error* error);

// ---- Solutions

enum {
  STOWAGE_OPTIMAL = 0,   // there is a plan, which is proved to be the smallest
  STOWAGE_FEASIBLE = 1,  // there is a safe plan, but a smaller one may exist
  // The solution has no plan. The strategy made a plan above the capacity, and
  // does not search for other plans.
  STOWAGE_OVER_CAPACITY = 2,
  // The solution has no plan, because it is proved that no plan exists.
  STOWAGE_INFEASIBLE = 3,
  // The solution has no plan, because the search found neither a plan nor a
  // proof that no plan exists.
  STOWAGE_TIME_LIMIT = 4
};
// Returns the name of a status, such as "optimal", or "?" for any other number.
const char* stowage_status_name(uint32_t status);

typedef struct {
  uint32_t struct_size;
  uint32_t status;  // is STOWAGE_OPTIMAL, ..
  uint32_t kind;    // the kind of the plan: STOWAGE_OFFSETS or STOWAGE_OBJECTS
  uint32_t proof;   // the proof of the bound: STOWAGE_PROOF_..
  uint64_t proof_index;
  // The size of the plan in bytes, or 0 if there is no plan. With
  // OVER_CAPACITY, the size of the plan that exceeded the capacity.
  uint64_t total_size;
  uint64_t lower_bound;  // every plan needs at least this number of bytes
  uint64_t cost;         // the cost of pools and preferences
  uint64_t cost_bound;   // no plan costs less
  uint64_t nodes;        // the number of nodes that were visited
  uint64_t seed;
  int64_t time_ns;  // the duration of the strategy's own call
  // With INFEASIBLE: 1 if the conflict is irreducible, which means that a plan
  // exists if any one record of the conflict is removed.
  uint32_t conflict_is_irreducible;
  uint32_t reserved;
} stowage_summary;
stowage_code stowage_solution_summary(const stowage_solution* solution,
                                      stowage_summary* summary,
                                      stowage_error* error);

// These functions return texts for people: the proof of the status, or the
// reason why there is no plan; the name of the strategy; and the name of the
// part of the strategy that found the plan. They return null if `solution` is
// null.
const char* stowage_solution_reason(const stowage_solution* solution);
const char* stowage_solution_strategy(const stowage_solution* solution);
const char* stowage_solution_found_by(const stowage_solution* solution);

// Returns the records of the conflict: records that no plan can place together,
// even if all other records are removed. Sets *count to the number of these
// records. If no conflict is known, returns null and sets *count to 0. Requires
// that `count` is not null.
const uint64_t* stowage_solution_conflict(const stowage_solution* solution,
                                          size_t* count);

// A plan, which belongs to a solution or is made by the caller. Either
// `offsets` or `objects` is set, and the other list is null. Lists that the
// problem does not need are also null.
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t count;  // the number of records
  // The size of the arena in bytes. In a plan of the caller, STOWAGE_NONE means
  // the size of the smallest arena that contains all records at these offsets.
  // Ignored for shared objects.
  uint64_t total_size;
  const uint64_t* offsets;  // has `count` entries
  const uint32_t* pools;    // has `count` entries; is null without pools
  const uint64_t* objects;  // has `count` entries, which are numbers of objects
  const uint64_t* object_sizes;  // has `object_count` entries
  uint64_t object_count;
  // For problems with a free order: the tasks in the chosen order.
  const uint64_t* order;
  uint64_t order_count;
  // The place of each record under this plan, `count` entries. It differs from
  // the place in the problem: groups that the plan does not keep are removed,
  // and if the two records of a pair have the same place, their groups are
  // united. Used only for problems with optional groups or with pairs from
  // stowage_builder_same_or_apart(). If groups are optional, null means that
  // the plan keeps no group.
  const stowage_place* places;
} stowage_plan;

// Sets *plan to the plan of a solution. The lists belong to the solution.
// Error: FAILED_PRECONDITION, with the reason, if the solution has no plan.
stowage_code stowage_solution_plan(const stowage_solution* solution,
                                   stowage_plan* plan, stowage_error* error);

// Creates a solution from a plan of the caller. Such a solution can be passed
// as an incumbent. Errors: INVALID_ARGUMENT if the plan does not have the form
// that the problem requires; FAILED_PRECONDITION, with records, if the plan is
// unsafe (stowage_verify() returns the violation).
stowage_code stowage_solution_create(const stowage_problem* problem,
                                     const stowage_plan* plan,
                                     stowage_solution** solution,
                                     stowage_error* error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_SOLVE_H_
