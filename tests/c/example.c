// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "stowage/c/stowage.h"

int main(void) {
  const stowage_record list[] = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  stowage_builder* builder = stowage_builder_new();
  stowage_problem* problem = NULL;
  stowage_solution* solution = NULL;
  stowage_options options;
  stowage_summary summary;
  stowage_plan plan;
  stowage_error error;
  options.struct_size = sizeof(options);
  summary.struct_size = sizeof(summary);
  plan.struct_size = sizeof(plan);
  error.struct_size = sizeof(error);
  if (stowage_builder_records(builder, list, 3, &error) ||
      stowage_builder_alignment(builder, 64, &error) ||
      stowage_problem_create(builder, &problem, &error) ||
      stowage_options_init(&options, &error) ||
      stowage_solve(problem, &options, &solution, &error) ||
      stowage_solution_summary(solution, &summary, &error) ||
      stowage_solution_plan(solution, &plan, &error)) {
    fprintf(stderr, "%s\n", error.message);
  } else {
    for (uint64_t i = 0; i < plan.count; ++i) {
      printf("%" PRIu64 " ", plan.offsets[i]);
    }
    printf("in an arena of %" PRIu64 " bytes: %s\n", plan.total_size,
           stowage_status_name(summary.status));
  }
  stowage_solution_free(solution);
  stowage_problem_free(problem);
  stowage_builder_free(builder);
  return 0;
}
