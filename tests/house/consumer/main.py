# SPDX-License-Identifier: Apache-2.0
import stowage

# (size in bytes, first task, last task): both ends are inclusive.
plan = stowage.plan([(4096, 0, 2), (1024, 2, 4), (4096, 3, 4)], alignment=64)
print(*plan.offsets, "in an arena of", plan.total_size, "bytes:",
      plan.status.value)
