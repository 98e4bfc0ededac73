// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "stowage/c/testing.h"

// A simple planner: each tensor is placed on top of those before it that are
// live at the same time.
static stowage_code toy_plan(void* context, const stowage_problem* problem,
                             uint64_t* places, uint32_t* pools) {
  stowage_problem_info info;
  info.struct_size = sizeof(info);
  if (stowage_problem_get_info(problem, &info, NULL)) return STOWAGE_INTERNAL;
  const size_t count = (size_t)info.count;
  stowage_record* records = calloc(count + 1, sizeof(*records));
  uint64_t* alignments = calloc(count + 1, sizeof(*alignments));
  stowage_code code = STOWAGE_RESOURCE_EXHAUSTED;
  if (records != NULL && alignments != NULL) {
    stowage_problem_records(problem, records, count, NULL);
    stowage_problem_alignments(problem, alignments, count, NULL);
    for (size_t i = 0; i < count; ++i) {
      uint64_t top = 0;
      for (size_t j = 0; j < i; ++j) {
        const uint64_t end = places[j] + records[j].size;
        if (records[j].first_task < records[i].last_task &&
            records[i].first_task < records[j].last_task && end > top) {
          top = end;
        }
      }
      const uint64_t alignment = alignments[i];
      places[i] = (top + alignment - 1) / alignment * alignment;
    }
    code = STOWAGE_OK;
  }
  free(records);
  free(alignments);
  (void)context;
  (void)pools;
  return code;
}

int main(void) {
  stowage_test_report* report = NULL;
  stowage_test_summary summary;
  stowage_error error;
  summary.struct_size = sizeof(summary);
  error.struct_size = sizeof(error);
  if (stowage_test_planner(&toy_plan, NULL, NULL, &report, &error) ||
      stowage_test_report_summary(report, &summary, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  if (summary.has_failed) {
    printf("%sagain      %s\n", summary.description, summary.replay);
  } else {
    printf("no failure in 2000 problems, %lu runs\n",
           (unsigned long)summary.runs);
  }
  stowage_test_report_free(report);
  return (int)summary.has_failed;
}
