// SPDX-License-Identifier: Apache-2.0
// This program is a planner for tests. `toy_planner MODE IN OUT` plans the
// trace in the file IN and writes the plan to OUT. Every tensor gets separate
// memory unless MODE specifies otherwise. `toy_planner MODE` does the same as a
// server: each line of standard input names the two files of one run.
//
//   offsets, objects   safe plans
//   two_columns        the same offsets, in a file with only id and offset
//   slow               a safe plan after a tenth of a second
//   doubles            offsets that are computed in double precision
//   unread             offset 0 for tensors that are live at only one task
//   in_order           all offsets are 0 if records are out of order
//   up_to_64           all offsets are 0 if there are more than 64 records
//   late_and_slow_once  all offsets are 0 if the last task is 20 or later;
//                      once, takes six seconds if the last task is 10 to 19
//   unsupported        exits with code 77
//   crash_in_shell     exits like a shell whose command has crashed
//   crash, crash_on_no_bytes   ends by a signal, always or if a size is 0
//   hang               never exits, and starts a child that never exits
//   talk               prints forever
//   refuse             exits with code 3 and a message
//   nothing, nothing_for_no_bytes, garbage, garbage_number, other_trace,
//   folder, link, pipe, no_column   writes no plan file or a useless one
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "stowage/io/problem_file.h"

namespace {

void DoHarm(const std::string& mode, const std::string& out) {
  if (mode == "crash") raise(SIGABRT);
  if (mode == "hang") {
    fork();
    while (true) pause();
  }
  if (mode == "talk") {
    while (true) std::puts("and another thing");
  }
  if (mode == "slow") usleep(100'000);
  if (mode == "folder") std::filesystem::create_directory(out);
  if (mode == "link") std::filesystem::create_symlink("/dev/zero", out);
  if (mode == "pipe") mkfifo(out.c_str(), S_IRWXU);
}

bool WritesNothing(const std::string& mode) {
  return mode == "nothing" || mode == "folder" || mode == "link" ||
         mode == "pipe";
}

// Returns the end of a tensor. Mode "doubles" computes the end in double
// precision, which rounds it.
size_t EndOf(size_t place, size_t size, const std::string& mode) {
  if (mode != "doubles") return place + size;
  return static_cast<size_t>(static_cast<double>(place) +
                             static_cast<double>(size));
}

size_t LastTask(const stowage::ProblemFile& trace) {
  size_t last = 0;
  for (const auto& record : trace.problem.records) {
    last = std::max<size_t>(last, record.last_task);
  }
  return last;
}

// Sleeps in the first run that calls this function and in no later run. A file
// in the parent folder of the folders of all runs marks that a run has slept.
void BeSlowOnce(const std::string& out) {
  namespace fs = std::filesystem;
  const fs::path mark = fs::path(out).parent_path().parent_path() / "was_slow";
  if (fs::exists(mark)) return;
  std::ofstream(mark) << "once";
  sleep(6);
}

stowage::ProblemFile PlanNaively(stowage::ProblemFile trace,
                                 const std::string& mode) {
  size_t end = 0;
  for (size_t i = 0; i < trace.problem.records.size(); ++i) {
    const auto& record = trace.problem.records[i];
    if (mode == "crash_on_no_bytes" && record.tensor_size == 0) raise(SIGABRT);
    if (mode == "objects") {
      trace.plan.objects.push_back(i + 100);
      continue;
    }
    const size_t alignment = AlignmentsOf(trace.problem).Of(i);
    const size_t place = (end + alignment - 1) / alignment * alignment;
    const bool is_unread = record.first_task == record.last_task;
    trace.plan.offsets.push_back(mode == "unread" && is_unread ? 0 : place);
    end = EndOf(place, record.tensor_size, mode);
  }
  const bool is_safe =
      mode == "in_order"
          ? std::is_sorted(trace.problem.records.begin(),
                           trace.problem.records.end(), stowage::BeginsBefore())
      : mode == "late_and_slow_once"
          ? LastTask(trace) < 20
          : mode != "up_to_64" || trace.problem.records.size() <= 64;
  if (!is_safe) {
    std::fill(trace.plan.offsets.begin(), trace.plan.offsets.end(), 0);
  }
  if (mode == "other_trace" && !trace.problem.names.empty()) {
    trace.problem.names[0] = "nobody";
  }
  return trace;
}

// Returns the plan as CSV with only an offset and an id in each row. The rows
// are in reverse order, which is allowed because the ids identify the records.
std::string TwoColumns(const stowage::ProblemFile& plan) {
  std::string csv = "offset,id\n";
  for (size_t i = plan.problem.names.size(); i-- > 0;) {
    csv += std::to_string(plan.plan.offsets[i]) + "," + plan.problem.names[i] +
           "\n";
  }
  return csv;
}

bool HasNoBytes(const stowage::ProblemFile& trace) {
  return std::any_of(
      trace.problem.records.begin(), trace.problem.records.end(),
      [](const auto& record) { return record.tensor_size == 0; });
}

// Plans one trace and returns the exit code.
int Plan(const std::string& mode, const std::string& in,
         const std::string& out) {
  DoHarm(mode, out);
  if (WritesNothing(mode)) return 0;
  if (mode == "refuse") {
    std::fputs("not today:\nI have a headache\n\n", stderr);
    return 3;
  }
  if (mode == "unsupported") return 77;
  if (mode == "crash_in_shell") return 128 + SIGSEGV;
  const absl::StatusOr<stowage::ProblemFile> trace =
      stowage::ReadProblemFile(in);
  if (!trace.ok()) return 4;
  const size_t last = LastTask(*trace);
  if (mode == "late_and_slow_once" && last >= 10 && last < 20) BeSlowOnce(out);
  stowage::ProblemFile plan = PlanNaively(*trace, mode);
  if (mode == "no_column") plan.plan.offsets.clear();
  const absl::StatusOr<std::string> csv = stowage::FormatProblemCsv(plan);
  if (!csv.ok()) return 5;
  std::string content = *csv;
  if (mode == "garbage") {
    content =
        "\x7f"
        "ELF";
  } else if (mode == "garbage_number") {
    content = "id,offset\nt0,1e3\n";
  } else if (mode == "two_columns") {
    content = TwoColumns(plan);
  } else if (mode == "nothing_for_no_bytes" && HasNoBytes(plan)) {
    return 0;
  }
  return std::ofstream(out) << content ? 0 : 6;
}

int Serve(const std::string& mode) {
  std::puts("ready");
  std::fflush(stdout);
  std::string line;
  while (std::getline(std::cin, line)) {
    const size_t tab = line.find('\t');
    const int code = Plan(mode, line.substr(0, tab), line.substr(tab + 1));
    std::printf("%d\n", code);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return Serve(argv[1]);
  return argc == 4 ? Plan(argv[1], argv[2], argv[3]) : 2;
}
