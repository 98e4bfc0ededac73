// SPDX-License-Identifier: Apache-2.0
// Chapter 2 of stowage.h: problems, which describe everything that a plan must
// satisfy.
//
// A builder first gets the records, and then further requests in any order.
// stowage_problem_create() checks them all together. docs/constraints.md has a
// picture of each request. If there are only records and one alignment, use
// stowage_assign_offsets() (solve.h), which needs no handle.
//
//   stowage_builder* builder = stowage_builder_new();
//   stowage_builder_records(builder, records, count, &error);
//   stowage_builder_fixed(builder, 3, 0, &error);
//   stowage_problem_create(builder, &problem, &error);
#ifndef STOWAGE_C_PROBLEM_H_
#define STOWAGE_C_PROBLEM_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stddef.h>
#include <stdint.h>

#include "stowage/c/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

// The size and the interval of a tensor. Requires first_task <= last_task. A
// record of 0 bytes conflicts with no other record.
typedef struct {
  uint64_t size;        // is in bytes
  uint64_t first_task;  // inclusive
  uint64_t last_task;   // inclusive
} stowage_record;

// ---- The builder

typedef struct stowage_builder stowage_builder;
typedef struct stowage_problem stowage_problem;

// Returns a builder without records, or null if there is not enough memory.
stowage_builder* stowage_builder_new(void);
void stowage_builder_free(stowage_builder* builder);

// Set the records of the builder, from an array of structs or from three
// columns. Call only one of the two functions, only once, and before all
// functions that name a record. A column consists of `count` 64-bit numbers.
// The stride is the distance in bytes from one number to the next. It may be 0
// or negative, and the numbers need not be aligned. Error: FAILED_PRECONDITION
// if the builder already has records. O(count).
stowage_code stowage_builder_records(stowage_builder* builder,
                                     const stowage_record* records,
                                     size_t count, stowage_error* error);
stowage_code stowage_builder_columns(
    stowage_builder* builder, const void* sizes, ptrdiff_t size_stride,
    const void* first_tasks, ptrdiff_t first_stride, const void* last_tasks,
    ptrdiff_t last_stride, size_t count, stowage_error* error);

// All functions below copy their arguments, in time proportional to the size of
// the arguments. Errors of all of them: INVALID_ARGUMENT, with the index, for a
// record that does not exist; INVALID_ARGUMENT for a list that must have an
// entry for every record but has a different length. Whether requests
// contradict each other is checked by stowage_problem_create().

// Sets the kind of plan: each record gets either an offset in one arena, which
// is the default, or a shared object.
enum { STOWAGE_OFFSETS = 0, STOWAGE_OBJECTS = 1 };
stowage_code stowage_builder_kind(stowage_builder* builder, uint32_t kind,
                                  stowage_error* error);

// Set one alignment for all offsets, or one alignment for each record, in
// bytes. Alignments must be powers of two. A call replaces the alignments of
// earlier calls. The default is 1.
stowage_code stowage_builder_alignment(stowage_builder* builder,
                                       uint64_t alignment,
                                       stowage_error* error);
stowage_code stowage_builder_alignments(stowage_builder* builder,
                                        const uint64_t* alignments,
                                        size_t count, stowage_error* error);

// Sets the maximum size of a plan in bytes. STOWAGE_NONE, the default, means
// that there is no limit.
stowage_code stowage_builder_capacity(stowage_builder* builder, uint64_t bytes,
                                      stowage_error* error);

// Fixes the offset of a record, in bytes. STOWAGE_NONE removes a fixed offset
// that was set earlier.
stowage_code stowage_builder_fixed(stowage_builder* builder, uint64_t record,
                                   uint64_t offset, stowage_error* error);

// Restricts a record to bytes [min, max). If max is STOWAGE_NONE, the record
// may be anywhere at or above byte min.
stowage_code stowage_builder_range(stowage_builder* builder, uint64_t record,
                                   uint64_t min, uint64_t max,
                                   stowage_error* error);

// Adds a record to a group. Any number except STOWAGE_NO_GROUP identifies a
// group. A plan chooses one start for each group, and each record of the group
// is `at` bytes above this start. Records of one group never conflict with each
// other. Use groups for views, slices, and results that are computed in place.
#define STOWAGE_NO_GROUP UINT32_MAX
stowage_code stowage_builder_group(stowage_builder* builder, uint64_t record,
                                   uint32_t group, uint64_t at,
                                   stowage_error* error);

// Sets whether groups are optional. If `optional` is 1, a plan keeps only the
// groups that do not make it larger. If `optional` is 0, the default, a plan
// keeps all groups.
stowage_code stowage_builder_groups_optional(stowage_builder* builder,
                                             uint32_t optional,
                                             stowage_error* error);

// Sets the word that messages use for groups. The default is "groups".
stowage_code stowage_builder_group_word(stowage_builder* builder,
                                        const char* word, stowage_error* error);

// Adds a hole. No record that is live at any task in [first_task, last_task]
// may use bytes [begin, end) of the pool. If there are no pools, `pool` must be
// 0.
stowage_code stowage_builder_hole(stowage_builder* builder, uint64_t begin,
                                  uint64_t end, uint64_t first_task,
                                  uint64_t last_task, uint32_t pool,
                                  stowage_error* error);

// Adds a set of records of which no two may share a byte, even if their
// lifetimes do not overlap.
stowage_code stowage_builder_apart(stowage_builder* builder,
                                   const uint64_t* records, size_t count,
                                   stowage_error* error);

// Adds a pair of records that may share bytes although they conflict, because
// at most one of them is live in any run.
stowage_code stowage_builder_never(stowage_builder* builder, uint64_t first,
                                   uint64_t second, stowage_error* error);

// Adds a pair of records that should not share a byte. If they share a byte,
// `cost` is added to the cost of the plan. The costs of a pair that is added
// several times are summed. Plans are compared first by cost and then by size.
stowage_code stowage_builder_prefer_apart(stowage_builder* builder,
                                          uint64_t first, uint64_t second,
                                          uint64_t cost, stowage_error* error);

// Adds a pair of records, one of which is a copy of the other. The two records
// must have equal sizes and conflict with each other. A plan must either give
// both the same place, which makes the copy unnecessary, or make them share no
// byte. `copied` is the number of bytes that need not be copied if both have
// the same place. Among plans of equal cost and size, the planner prefers those
// that save more copied bytes. The groups of both records become one group. A
// pair may be added only once.
stowage_code stowage_builder_same_or_apart(stowage_builder* builder,
                                           uint64_t first, uint64_t second,
                                           uint64_t copied,
                                           stowage_error* error);

// Adds a pool: a memory of `capacity` bytes, separate from all other pools.
// STOWAGE_NONE means that the capacity has no limit. Pools are numbered from 0
// in the order of the calls.
stowage_code stowage_builder_pool(stowage_builder* builder, const char* name,
                                  uint64_t capacity, stowage_error* error);

// Permits a record to use a pool, at a cost. After the first such call for a
// record, the record may use only pools that are permitted in this way. A
// record without such a call may use every pool at no cost.
stowage_code stowage_builder_choice(stowage_builder* builder, uint64_t record,
                                    uint32_t pool, uint64_t cost,
                                    stowage_error* error);

// The functions below set an order of tasks. By default, tasks run one after
// another, in the order of their numbers. If an order is set, every record must
// have users: the tasks that use the record. A builder can have only one order.
// Error: FAILED_PRECONDITION for a second order.
typedef struct {
  uint64_t before;  // this task ends before the task `after` begins
  uint64_t after;   // this task begins after the task `before` has ended
} stowage_edge;

// Sets a partial order of the tasks 0 to `tasks` - 1 by its edges. Two tasks
// may run at the same time unless there is a path of edges from one to the
// other. The interval of each record must extend from its first user to its
// last.
stowage_code stowage_builder_order(stowage_builder* builder, uint64_t tasks,
                                   const stowage_edge* edges, size_t count,
                                   stowage_error* error);

// Set a partial order by streams and waits. Each call of
// stowage_builder_stream() adds a stream of tasks that run one after another.
// stowage_builder_waits() adds waits: the task `after` of a wait begins only
// after the task `before` of another stream has completed.
stowage_code stowage_builder_stream(stowage_builder* builder,
                                    const uint64_t* tasks, size_t count,
                                    stowage_error* error);
stowage_code stowage_builder_waits(stowage_builder* builder,
                                   const stowage_edge* waits, size_t count,
                                   stowage_error* error);

// Lets the planner choose the order in which tasks run one after another. The
// planner may choose any order that the edges permit. The intervals of the
// records are ignored.
stowage_code stowage_builder_free_order(stowage_builder* builder,
                                        uint64_t tasks,
                                        const stowage_edge* edges, size_t count,
                                        stowage_error* error);

// Sets the users of a record.
stowage_code stowage_builder_users(stowage_builder* builder, uint64_t record,
                                   const uint64_t* tasks, size_t count,
                                   stowage_error* error);

// Sets the reallocation graph of shared objects. The object of a record
// `before` may be reused by a record `after` only if the graph has an edge from
// `before` to `after`. If the graph has no edges, no object is shared.
stowage_code stowage_builder_reallocation(stowage_builder* builder,
                                          const stowage_edge* edges,
                                          size_t count, stowage_error* error);

// Sets the records that should be placed before all others, in this order. This
// is a preference that only some strategies follow.
stowage_code stowage_builder_place_first(stowage_builder* builder,
                                         const uint64_t* records, size_t count,
                                         stowage_error* error);

// These functions set labels for reports and messages. Labels do not affect
// plans. Texts may contain any bytes; bytes that are not UTF-8 are replaced for
// display. The labels are: the name of each record; the name of each operator,
// by task; the name of each group, by number; the number of operators that read
// each record; and the rule of lifetimes, such as "plain". There may be any
// number of operators and groups.
stowage_code stowage_builder_names(stowage_builder* builder,
                                   const char* const* names, size_t count,
                                   stowage_error* error);
stowage_code stowage_builder_operators(stowage_builder* builder,
                                       const char* const* names, size_t count,
                                       stowage_error* error);
stowage_code stowage_builder_group_names(stowage_builder* builder,
                                         const char* const* names, size_t count,
                                         stowage_error* error);
stowage_code stowage_builder_readers(stowage_builder* builder,
                                     const uint64_t* readers, size_t count,
                                     stowage_error* error);
stowage_code stowage_builder_lifetimes(stowage_builder* builder,
                                       const char* rule, stowage_error* error);

// Describes the tensor of a record: its name in the model, its type and its
// shape, each of which may be null; the task that produces it, or STOWAGE_NONE;
// and the tasks that consume it.
stowage_code stowage_builder_tensor(stowage_builder* builder, uint64_t record,
                                    const char* name, const char* type,
                                    const char* shape, uint64_t producer,
                                    const uint64_t* consumers, size_t count,
                                    stowage_error* error);

// ---- Problems

// Checks the requests of the builder and creates an immutable problem. The
// builder remains usable. Errors, which name records: those of Problem::Create
// (stowage/problem.h), which are INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED
// and RESOURCE_EXHAUSTED. O(n), plus O(m log m) for m constraints.
stowage_code stowage_problem_create(const stowage_builder* builder,
                                    stowage_problem** problem,
                                    stowage_error* error);
void stowage_problem_free(stowage_problem* problem);

// ---- Facts about a problem

// The features that a problem can require and a strategy can support. Each
// value is the position of a bit: a set of features is the bitwise OR of 1 <<
// STOWAGE_FEATURE_... for each of its features.
enum {
  STOWAGE_FEATURE_OFFSETS = 0,
  STOWAGE_FEATURE_OBJECTS = 1,
  STOWAGE_FEATURE_REALLOCATION_GRAPH = 2,
  STOWAGE_FEATURE_FIXED_OFFSETS = 3,
  STOWAGE_FEATURE_PLACES = 4,  // ranges and holes
  STOWAGE_FEATURE_GROUPS = 5,
  STOWAGE_FEATURE_APART = 6,
  STOWAGE_FEATURE_POOLS = 7,
  STOWAGE_FEATURE_PARTIAL_ORDER = 8
};

typedef struct {
  uint32_t struct_size;
  uint32_t kind;      // STOWAGE_OFFSETS or STOWAGE_OBJECTS
  uint64_t count;     // the number of records
  uint64_t capacity;  // is in bytes, or is STOWAGE_NONE
  // The required features. Each feature is a bit 1 << STOWAGE_FEATURE_...
  uint64_t features;
  uint64_t pools;  // the number of pools
} stowage_problem_info;

stowage_code stowage_problem_get_info(const stowage_problem* problem,
                                      stowage_problem_info* info,
                                      stowage_error* error);

// Writes the 128-bit fingerprint of a problem: the high half to fingerprint[0],
// and the low half to fingerprint[1]. The fingerprint depends on the numbers of
// groups, but not on names. It is the same on every machine. Two different
// problems have equal fingerprints only if somebody constructed them for this
// purpose. If a plan was found by a fingerprint from an untrusted source, the
// plan must therefore be verified. The first call is O(n).
stowage_code stowage_problem_fingerprint(const stowage_problem* problem,
                                         uint64_t fingerprint[2],
                                         stowage_error* error);

// The permitted places of a record: within bytes [min, max), and `at` bytes
// above the start of its group.
typedef struct {
  uint64_t min;
  uint64_t max;  // may be STOWAGE_NONE
  uint64_t at;
  uint32_t group;  // may be STOWAGE_NO_GROUP
  uint32_t reserved;
} stowage_place;

// These functions write the records, alignments, fixed offsets and places of a
// problem into arrays with one entry for each record. The entry of a record
// without a fixed offset is STOWAGE_NONE. `capacity` is the number of entries
// that the array can hold. Error: OUT_OF_RANGE if `capacity` is below the
// number of records.
stowage_code stowage_problem_records(const stowage_problem* problem,
                                     stowage_record* records, size_t capacity,
                                     stowage_error* error);
stowage_code stowage_problem_alignments(const stowage_problem* problem,
                                        uint64_t* alignments, size_t capacity,
                                        stowage_error* error);
stowage_code stowage_problem_fixed(const stowage_problem* problem,
                                   uint64_t* offsets, size_t capacity,
                                   stowage_error* error);
stowage_code stowage_problem_places(const stowage_problem* problem,
                                    stowage_place* places, size_t capacity,
                                    stowage_error* error);

// The reasons why no plan can be smaller than a bound. `proof_index` is a task,
// a record, a set or a number of records, depending on the kind of proof
// (stowage/bound_proof.h).
enum {
  STOWAGE_PROOF_NONE = 0,
  STOWAGE_PROOF_NO_BYTES = 1,
  STOWAGE_PROOF_BYTES_LIVE = 2,
  STOWAGE_PROOF_BYTES_HELD = 3,
  STOWAGE_PROOF_BYTES_LIVE_AROUND_HOLES = 4,
  STOWAGE_PROOF_BYTES_HELD_AROUND_HOLES = 5,
  STOWAGE_PROOF_POSITIONAL_MAXIMUMS = 6,
  STOWAGE_PROOF_LARGEST_RECORD = 7,
  STOWAGE_PROOF_FIXED_END = 8,
  STOWAGE_PROOF_ONLY_PLACE = 9,
  STOWAGE_PROOF_LOWEST_PLACE = 10,
  STOWAGE_PROOF_ROOM_AROUND_FIXED = 11,
  STOWAGE_PROOF_APART_SET = 12,
  STOWAGE_PROOF_ANTICHAIN = 13,
  STOWAGE_PROOF_POOLS = 14,
  STOWAGE_PROOF_POOLS_OF_COST = 15,
  STOWAGE_PROOF_CHAIN_WEIGHTS = 16,
  STOWAGE_PROOF_SEARCH = 17,
  STOWAGE_PROOF_ANY_ORDER = 18,
  STOWAGE_PROOF_ALL_ORDERS = 19,
  STOWAGE_PROOF_COST_OF_SMALLER = 20,
  STOWAGE_PROOF_ALL_CHOICES = 21
};

typedef struct {
  uint32_t struct_size;
  uint32_t proof;        // is STOWAGE_PROOF_..
  uint64_t proof_index;  // is STOWAGE_NONE for a record that is not known
  uint64_t bytes;        // every plan needs at least this number of bytes
  uint64_t naive_size;   // the bytes without any sharing
} stowage_bound;

// Computes the highest lower bound that is known without a search. The first
// call is O(n log n); later calls return the stored result.
stowage_code stowage_problem_bound(const stowage_problem* problem,
                                   stowage_bound* bound, stowage_error* error);

// Writes a phrase for people, such as "the bytes live at task 5", into `text`,
// which has room for `capacity` bytes. The phrase is terminated by a null byte.
// A phrase that is too long is cut at the end of a character.
stowage_code stowage_describe_proof(uint32_t proof, uint64_t proof_index,
                                    char* text, size_t capacity,
                                    stowage_error* error);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_C_PROBLEM_H_
