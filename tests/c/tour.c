/* SPDX-License-Identifier: Apache-2.0 */
/* Uses every level of the C interface in C99, including callbacks, and prints
 * "done" if all checks succeed. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stowage/c/stowage.h"

static stowage_error error;

/* Exits with an error unless a call succeeded. */
static void must(stowage_code code, int line) {
  if (code == STOWAGE_OK) return;
  fprintf(stderr, "line %d: %s: %s\n", line, stowage_code_name(code),
          error.message);
  exit(1);
}
#define MUST(call) must((call), __LINE__)
#define CHECK(condition) \
  must((condition) ? STOWAGE_OK : STOWAGE_INTERNAL, __LINE__)

/* Stacks all records. */
static stowage_code stack(void* context, const stowage_problem* problem,
                          uint64_t* places, uint32_t* pools) {
  stowage_record records[3];
  uint64_t end = 0;
  size_t i;
  CHECK(pools == NULL);
  MUST(stowage_problem_records(problem, records, 3, &error));
  for (i = 0; i < 3; ++i) {
    places[i] = end;
    end += records[i].size;
  }
  *(uint64_t*)context = end;
  return STOWAGE_OK;
}

static int32_t count_progress(void* context, const stowage_progress* progress) {
  CHECK(progress->lower_bound <= progress->total_size);
  ++*(int*)context;
  return 0;
}

static int32_t count_bytes(void* context, const char* text, size_t size) {
  CHECK(text != NULL);
  *(size_t*)context += size;
  return 0;
}

static stowage_cancel_token* token;
static void cancel(int signal_number) {
  (void)signal_number;
  stowage_cancel(token);
}

static void plan_without_handles(void) {
  const stowage_record records[] = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  stowage_placed_record placed[3];
  uint32_t workspace[STOWAGE_WORKSPACE_BYTES(3) / 4];
  uint64_t offsets[3];
  uint64_t total = 0;
  stowage_violation violation;
  size_t i;
  for (i = 0; i < 3; ++i) {
    placed[i].size = records[i].size;
    placed[i].first_task = records[i].first_task;
    placed[i].last_task = records[i].last_task;
    placed[i].offset = STOWAGE_NONE;
  }
  MUST(stowage_plan_in_place(placed, 3, 64, workspace, sizeof(workspace),
                             &total, &error));
  CHECK(total == 5120 && placed[2].offset == 0);
  MUST(stowage_assign_offsets(records, 3, 64, "greedy_by_size", offsets, &total,
                              &error));
  CHECK(total == 5120);
  violation.struct_size = sizeof(violation);
  offsets[1] = 64;
  CHECK(stowage_verify_offsets(records, 3, 64, offsets, total, &violation,
                               &error) == STOWAGE_FAILED_PRECONDITION);
  CHECK(violation.kind == STOWAGE_OVERLAPPING_BYTES && violation.begin == 64);
  CHECK(error.record == 0 && error.other_record == 1);
}

static stowage_problem* make_problem(void) {
  const uint64_t sizes[] = {4096, 1024, 4096};
  const uint64_t tasks[] = {0, 2, 2, 4, 3, 4}; /* first and last, by record */
  const char* const names[] = {"a", "b", "c"};
  stowage_builder* const builder = stowage_builder_new();
  stowage_problem* problem = NULL;
  MUST(stowage_builder_columns(builder, sizes, 8, tasks, 16, tasks + 1, 16, 3,
                               &error));
  MUST(stowage_builder_alignment(builder, 64, &error));
  MUST(stowage_builder_names(builder, names, 3, &error));
  MUST(stowage_problem_create(builder, &problem, &error));
  stowage_builder_free(builder);
  return problem;
}

/* Returns the total size of the best plan that a search finds when it starts
 * with a bad plan. */
static uint64_t solve(const stowage_problem* problem) {
  stowage_solution* stacked = NULL;
  stowage_solution* best = NULL;
  stowage_options options;
  stowage_plan plan;
  uint64_t end = 0;
  int calls = 0;
  size_t bytes = 0;
  options.struct_size = sizeof(options);
  plan.struct_size = sizeof(plan);
  MUST(stowage_solve_with(problem, 1u << STOWAGE_FEATURE_OFFSETS, stack, &end,
                          NULL, &stacked, &error));
  CHECK(end == 9216);
  MUST(stowage_options_init(&options, &error));
  options.strategy = "optimal";
  options.incumbent = stacked;
  options.progress = count_progress;
  options.context = &calls;
  options.cancel = token;
  MUST(stowage_solve(problem, &options, &best, &error));
  MUST(stowage_solution_plan(best, &plan, &error));
  CHECK(plan.count == 3 && plan.offsets[1] % 64 == 0);
  MUST(stowage_verify(problem, &plan, NULL, &error));
  MUST(stowage_write_problem(problem, &plan, STOWAGE_CSV, count_bytes, &bytes,
                             &error));
  CHECK(bytes > 0);
  end = plan.total_size;
  stowage_solution_free(best);
  stowage_solution_free(stacked);
  return end;
}

/* A text buffer that is large enough for a certificate of three records. */
typedef struct {
  char bytes[8192];
  size_t size;
} text_buffer;

static int32_t append(void* context, const char* text, size_t size) {
  text_buffer* const buffer = context;
  if (size > sizeof(buffer->bytes) - buffer->size) return 1;
  memcpy(buffer->bytes + buffer->size, text, size);
  buffer->size += size;
  return 0;
}

/* Takes a plan from a cache, proves it, and replans it without a change. */
static void reuse(const stowage_problem* problem) {
  stowage_plan_cache* const cache = stowage_plan_cache_new(1 << 20, NULL);
  stowage_solution* first = NULL;
  stowage_solution* second = NULL;
  stowage_solution* next = NULL;
  stowage_solution* joined = NULL;
  stowage_problem* for_all = NULL;
  stowage_plan_cache_stats stats;
  stowage_changes changes;
  stowage_verdict verdict;
  static text_buffer certificate;
  stats.struct_size = sizeof(stats);
  changes.struct_size = sizeof(changes);
  verdict.struct_size = sizeof(verdict);
  MUST(stowage_plan_cache_get(cache, problem, NULL, &first, &error));
  MUST(stowage_plan_cache_get(cache, problem, NULL, &second, &error));
  MUST(stowage_plan_cache_get_stats(cache, &stats, &error));
  CHECK(stats.plans == 1 && stats.hits == 1 && stats.misses == 1);
  stowage_plan_cache_free(cache);
  MUST(
      stowage_write_certificate(problem, second, append, &certificate, &error));
  MUST(stowage_check_certificate(problem, certificate.bytes, certificate.size,
                                 &verdict, NULL, NULL, &error));
  CHECK(verdict.proved > 0 && verdict.not_checked == 0);
  MUST(stowage_replan(problem, first, NULL, &next, &error));
  MUST(stowage_solution_changes(next, &changes, &error));
  CHECK(changes.was_valid == 1 && changes.moved_count == 0);
  MUST(stowage_plan_for_all(&problem, 1, NULL, &joined, &error));
  stowage_solution_free(joined);
  MUST(stowage_problem_for_all(&problem, 1, &for_all, &error));
  stowage_problem_free(for_all);
  stowage_solution_free(next);
  stowage_solution_free(second);
  stowage_solution_free(first);
}

int main(void) {
  stowage_problem* problem;
  error.struct_size = sizeof(error);
  token = stowage_cancel_token_new();
  plan_without_handles();
  problem = make_problem();
  CHECK(solve(problem) == 5120);
  reuse(problem);
  signal(SIGINT, cancel);
  raise(SIGINT);
  CHECK(solve(problem) <= 9216); /* The search stops immediately. */
  stowage_problem_free(problem);
  stowage_cancel_token_free(token);
  puts("done");
  return 0;
}
