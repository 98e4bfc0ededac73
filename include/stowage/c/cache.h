// SPDX-License-Identifier: Apache-2.0
// Chapter 5 of stowage.h: plans for shapes that change. The functions keep
// plans in a cache, keep most offsets of the previous plan, or make one plan
// for all shapes.
//
// If the same shapes come back, use a cache. If a few records change, or if
// moving a tensor is costly, use stowage_replan(). If all shapes are known in
// advance, use stowage_plan_for_all(). In all other cases plan again
// (stowage_solve() in solve.h), which takes a few microseconds for a small
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
// (stowage_problem_fingerprint()). It verifies every plan for the given problem
// before it returns the plan. Any number of threads may use a cache at the same
// time; searches do not block other calls.
typedef struct stowage_plan_cache stowage_plan_cache;

// Returns an empty cache, or null if there is too little memory. The cached
// plans and their problems take at most `max_bytes`. If there is no room for a
// new plan, the plans that were used least recently are removed. `strategy` is
// the name of the strategy that makes new plans; null means "skyline". For
// problems of shared objects, pass a strategy that plans shared objects, such
// as "greedy_best".
stowage_plan_cache* stowage_plan_cache_new(uint64_t max_bytes,
                                           const char* strategy);
void stowage_plan_cache_free(stowage_plan_cache* cache);

// Creates a solution with the plan of a problem. If the cache has no plan for
// this problem, solves the problem with `options` and keeps the plan. `options`
// may be null, and is not used if the cache has a plan; options->strategy must
// be null. As after stowage_solve(), the solution may have no plan. Errors:
// those of stowage_solve(). If the cache has the plan, the call takes O(n)
// time, or O(n log n) if the problem has constraints or the plan was loaded
// from a file.
stowage_code stowage_plan_cache_get(stowage_plan_cache* cache,
                                    const stowage_problem* problem,
                                    const stowage_options* options,
                                    stowage_solution** solution,
                                    stowage_error* error);

// Searches for better plans. The limits in `options` apply to the whole call.
// Plans that were returned more often get larger shares of the limits.
// `options` may be null. If options->strategy is null, "optimal" is used.
// options->incumbent must be null, and options->progress is not called.
// Solutions that the cache has already created do not change. Sets *improved,
// unless `improved` is null, to the number of plans that became smaller or were
// proved to be the smallest. Errors: NOT_FOUND for an unknown strategy; those
// of stowage_solve() for options.
stowage_code stowage_plan_cache_improve(stowage_plan_cache* cache,
                                        const stowage_options* options,
                                        uint64_t* improved,
                                        stowage_error* error);

// Add the plans of a file to a cache, or write all plans of a cache to a file.
// The file is written completely or not at all (stowage/io/plans_file.h
// describes the format). Added plans count as used least recently. A plan is
// not added if there is no room for it, or if its problem already has a plan.
// The content of a file is not trusted: each plan is verified when it is first
// needed, and removed if it is unsafe. Sets *damaged_lines, unless
// `damaged_lines` is null, to the number of lines that are not plans. Errors:
// those that the system reports for the file; INVALID_ARGUMENT for a file of a
// different kind or version; OUT_OF_RANGE for more than 2^30 bytes.
stowage_code stowage_plan_cache_load(stowage_plan_cache* cache,
                                     const char* path, uint64_t* damaged_lines,
                                     stowage_error* error);
stowage_code stowage_plan_cache_save(const stowage_plan_cache* cache,
                                     const char* path, stowage_error* error);

// Counts what has happened to a cache since stowage_plan_cache_new().
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t plans;    // plans that are in the cache now
  uint64_t bytes;    // the memory that these plans take
  uint64_t hits;     // calls that found a plan
  uint64_t misses;   // calls that found no plan
  uint64_t evicted;  // plans that were removed because memory was short
  // The number of plans that were removed because they were not valid for a
  // problem that has the same fingerprint. Such plans come from damaged or
  // edited files.
  uint64_t refused;
} stowage_plan_cache_stats;
stowage_code stowage_plan_cache_get_stats(const stowage_plan_cache* cache,
                                          stowage_plan_cache_stats* stats,
                                          stowage_error* error);

// ---- Changed problems

// Says which records may move, what moving costs, and how to search. To get all
// defaults, set all members to 0 except struct_size.
typedef struct {
  uint32_t struct_size;
  uint32_t reserved;
  // The cost of moving one byte, expressed in bytes of the arena. A search may
  // find a plan that moves m bytes more than the plan without a search. Such a
  // plan is used only if it is smaller by more than m times this cost. With 0,
  // the default, moving is free and the smallest plan is used.
  uint64_t cost_per_moved_byte;
  // The records that may move, in any order. The default is null, which means
  // that all records may move.
  const uint64_t* movable;
  uint64_t movable_count;
  // The strategy and the limits of a search. A search is run only if moving
  // records does not suffice. solve->incumbent must be null. The default is
  // null, which means the default options.
  const stowage_options* solve;
} stowage_replan_options;

// Plans a problem of offsets after a change. The problem must have the same
// records as the problem of `previous`, in the same order; their sizes,
// intervals and alignments may have changed. Keeps the offsets that are still
// possible and moves the other records to the lowest gaps. If this does not
// suffice, for example because the arena becomes larger, runs a search. The
// comment of Replan (stowage/replan.h) lists all cases in which a search is
// run. `options` may be null. Errors: those of Replan, which are
// INVALID_ARGUMENT, UNIMPLEMENTED, FAILED_PRECONDITION and RESOURCE_EXHAUSTED;
// those of stowage_solve().
//
// Without a search: O(n * (changed + moved + 1)). If `previous` was not made by
// this function, it is verified first, in O(n log n).
stowage_code stowage_replan(const stowage_problem* problem,
                            const stowage_solution* previous,
                            const stowage_replan_options* options,
                            stowage_solution** solution, stowage_error* error);

// Says what stowage_replan() has changed. The list belongs to the solution.
typedef struct {
  uint32_t struct_size;
  // Is 1 if the previous plan is also a plan of the changed problem.
  uint32_t was_valid;
  uint64_t moved_bytes;   // the sum of the new sizes of the records in `moved`
  const uint64_t* moved;  // the records at new places, in rising order
  uint64_t moved_count;
} stowage_changes;

// Sets *changes for a solution of stowage_replan(). Error: FAILED_PRECONDITION
// if a different function made the solution.
stowage_code stowage_solution_changes(const stowage_solution* solution,
                                      stowage_changes* changes,
                                      stowage_error* error);

// Creates a solution with one plan that is safe for all of `count` problems,
// which must have the same number of records. In this plan, every record has
// the largest size and the largest alignment that it has in any of the
// problems. It is live at every task at which it is live in at least one
// problem. `options` may be null. Errors: those of ProblemForAll
// (stowage/replan.h), which are INVALID_ARGUMENT and UNIMPLEMENTED; those of
// stowage_solve(). The time is that of stowage_solve(), plus O(n log n) for
// each problem.
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
