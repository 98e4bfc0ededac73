# SPDX-License-Identifier: Apache-2.0
# Sums the output of gcovr --csv by folder. The columns are: filename,
# line_total, line_covered, line_percent, branch_total, branch_covered, ...
NR == 1 { next }
{
  split($1, step, "/")
  folder = step[1] == "src" ? step[1] "/" step[2] : step[1]
  count(folder)
  count("all")
}
function count(key) {
  lines[key] += $2; reached[key] += $3
  branches[key] += $5; taken[key] += $6
}
function share(part, whole) { return whole ? 100 * part / whole : 100 }
function row(key) {
  return sprintf("| %-12s | %6d | %5.1f %% | %8d | %5.1f %% |", key,
    lines[key], share(reached[key], lines[key]), branches[key],
    share(taken[key], branches[key]))
}
END {
  print "| folder       |  lines | reached | branches |   taken |"
  print "|--------------|-------:|--------:|---------:|--------:|"
  for (key in lines) if (key != "all") print row(key) | "sort"
  close("sort")
  print row("all")
}
