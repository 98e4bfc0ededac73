// SPDX-License-Identifier: Apache-2.0
// Chapter 5 of stowage.h: plans for shapes that change. The functions keep
// plans in a cache, keep most offsets of the previous plan, or make one plan
// for all shapes.
//
// If the same shapes recur, use a cache. If only a few records change, or if
// moving a tensor is costly, use stowage_replan(). If all shapes are known in
// advance, use stowage_problem_for_all(). In all other cases, make a new plan
// with stowage_solve() (solve.h), which takes a few microseconds for a small
// model.
//
//   stowage_plan_cache* cache = stowage_plan_cache_new(16 << 20, NULL);
//   ...
//   stowage_plan_cache_get(cache, problem, NULL, &solution, &error);
//   ...
//   // When there is nothing else to do:
//   options.time_limit_ns = 20000000;
//   stowage_plan_cache_improve(cache, &options, NULL, &error);
#ifndef STOWAGE_C_CACHE_H_
#define STOWAGE_C_CACHE_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#include "stowage/c/error.h"
#include "stowage/c/problem.h"
#include "stowage/c/solve.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// ---- A cache of plans

// A cache finds plans by the fingerprints of problems
// (stowage_problem_fingerprint()). It returns a plan only if the plan was
// verified for the same records, or else verifies it for the given problem. Any
// number of threads may use a cache at the same time, and a search does not
// block other calls.
typedef struct stowage_plan_cache stowage_plan_cache;

// Returns an empty cache, or null if there is not enough memory. The cached
// plans and their problems use at most `max_bytes`. If there is no room for a
// new plan, the least recently used plans are removed. `strategy` is the name
// of the strategy that makes new plans; null means "skyline". For problems of
// shared objects, pass a strategy that plans shared objects, such as
// "greedy_best".
stowage_plan_cache* stowage_plan_cache_new(uint64_t max_bytes,
                                           const char* strategy);
void stowage_plan_cache_free(stowage_plan_cache* cache);

// Creates a solution with the plan of a problem. If the cache has no plan for
// this problem, solves the problem with `options` and adds the plan to the
// cache. `options` may be null and is ignored if the cache has a plan;
// options->strategy must be null. As with stowage_solve(), the solution may
// have no plan. Errors: those of stowage_solve(). If the cache has the plan,
// the call is O(n), or O(n log n) if the problem has constraints or the plan
// was loaded from a file.
stowage_code stowage_plan_cache_get(stowage_plan_cache* cache,
                                    const stowage_problem* problem,
                                    const stowage_options* options,
                                    stowage_solution** solution,
                                    stowage_error* error);

// Searches for better plans. The limits in `options` apply to the whole call,
// and plans that were returned more often get larger shares of them. `options`
// may be null. If options->strategy is null, uses "optimal". options->incumbent
// must be null, and options->progress is not called. Does not change solutions
// that the cache has already created. If `improved` is not null, sets *improved
// to the number of plans that became smaller or were proved to be the smallest.
// Errors: NOT_FOUND for an unknown strategy; those of stowage_solve() for
// options.
stowage_code stowage_plan_cache_improve(stowage_plan_cache* cache,
                                        const stowage_options* options,
                                        uint64_t* improved,
                                        stowage_error* error);

// Add the plans of a file to a cache, or write the plans of a cache to a file
// (format: stowage/io/plans_file.h). Plans that unite pairs of same_or_apart or
// keep optional groups are not written. The file is written either completely
// or not at all. Added plans count as the least recently used plans. A plan is
// not added if there is no room for it, or if the cache already has a plan for
// the same problem. The file is not trusted: each plan is verified before its
// first use, and removed if it is unsafe. If `damaged_lines` is not null, sets
// *damaged_lines to the number of lines that are not plans. Errors: those that
// the system reports for the file; INVALID_ARGUMENT for a file of a different
// kind or version; OUT_OF_RANGE for more than 2^30 bytes.
stowage_code stowage_plan_cache_load(stowage_plan_cache* cache,
                                     const char* path, uint64_t* damaged_lines,
                                     stowage_error* error);
stowage_code stowage_plan_cache_save(const stowage_plan_cache* cache,
                                     const char* path, stowage_error* error);

// Counters of a cache since stowage_plan_cache_new().
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t plans;    // plans that are in the cache now
  uint64_t bytes;    // the memory that these plans take
  uint64_t hits;     // calls that found a plan
  uint64_t misses;   // calls that found no plan
  uint64_t evicted;  // plans that were removed because memory was short
  // The number of plans that were removed because they were not valid for a
  // problem with the same fingerprint. Such plans come from damaged or edited
  // files.
  uint64_t refused;
} stowage_plan_cache_stats;
stowage_code stowage_plan_cache_get_stats(const stowage_plan_cache* cache,
                                          stowage_plan_cache_stats* stats,
                                          stowage_error* error);

// ---- Changed problems

// The records that may move, the cost of moving them, and the options of a
// search. For all defaults, set struct_size and set all other members to 0.
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  // The cost of moving one byte, in bytes of the arena. If a search finds a
  // plan that moves m bytes more than the plan without a search, the found plan
  // is used only if it is smaller by more than m times this cost. With the
  // default 0, moving is free and the smallest plan is used.
  uint64_t cost_per_moved_byte;
  // The records that may move, in any order. Null, the default, means that all
  // records may move.
  const uint64_t* movable;
  uint64_t movable_count;
  // The strategy and the limits of a search, which runs only if moving records
  // does not suffice. solve->incumbent must be null. Null, the default, means
  // the default options.
  const stowage_options* solve;
} stowage_replan_options;

// Plans a problem of offsets after a change. The problem must have the same
// records as the problem of `previous`, in the same order, but their sizes,
// intervals and alignments may differ. Keeps the offsets that are still
// possible and moves the other records to the lowest gaps. If this does not
// suffice, for example because the arena becomes larger, runs a search; Replan
// (stowage/replan.h) lists all of these cases. `options` may be null. Errors:
// those of Replan, which are INVALID_ARGUMENT, UNIMPLEMENTED,
// FAILED_PRECONDITION and RESOURCE_EXHAUSTED; those of stowage_solve().
//
// Without a search: O(n * (changed + moved + 1)). If `previous` was not made by
// this function, it is first verified in O(n log n).
stowage_code stowage_replan(const stowage_problem* problem,
                            const stowage_solution* previous,
                            const stowage_replan_options* options,
                            stowage_solution** solution, stowage_error* error);

// The changes that stowage_replan() made to a plan. The list `moved` belongs to
// the solution.
typedef struct {
  uint32_t struct_size;
  // 1 if the previous plan is also a plan of the changed problem, 0 otherwise.
  // If its offsets are valid, but records now end beyond its arena, it is not.
  uint32_t was_valid;
  uint64_t moved_bytes;   // the sum of the new sizes of the records in `moved`
  const uint64_t* moved;  // the records at new places, in rising order
  uint64_t moved_count;
} stowage_changes;

// Sets *changes to the changes of a solution. Error: FAILED_PRECONDITION if the
// solution was not made by stowage_replan().
stowage_code stowage_solution_changes(const stowage_solution* solution,
                                      stowage_changes* changes,
                                      stowage_error* error);

// Creates a problem whose plans are all safe for each of `count` problems,
// which have the same number of records. In the new problem, each record has
// the largest size and the largest alignment that it has in any of the
// problems, and is live from its earliest first task to its latest last task.
// The capacity is the lowest of all. Errors: INVALID_ARGUMENT if there are no
// problems, if they differ in the number of records or in the kind of plan, or
// if a record is fixed at different offsets; UNIMPLEMENTED if a problem has
// constraints, a free order or optional groups. O(count * records). The shared
// library exports this function with the symbol version STOWAGE_1.1.
stowage_code stowage_problem_for_all(const stowage_problem* const* problems,
                                     size_t count, stowage_problem** problem,
                                     stowage_error* error);

// Creates a solution of the problem that stowage_problem_for_all() creates, and
// verifies its plan for each of the problems. `options` may be null. Errors:
// those of stowage_problem_for_all() and stowage_solve(). The time is that of
// stowage_solve(), plus O(n log n) for each problem.
stowage_code stowage_plan_for_all(const stowage_problem* const* problems,
                                  size_t count, const stowage_options* options,
                                  stowage_solution** solution,
                                  stowage_error* error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_CACHE_H_
