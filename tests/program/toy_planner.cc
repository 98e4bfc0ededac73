// toy_planner HOW IN OUT: every tensor its own memory, or what HOW says.
//
//   offsets, objects   soundly
//   unread             at offset 0 if it lives for one task only
//   in_order           all at offset 0 if records are out of order
//   up_to_64           all at offset 0 if there are more records
//   unsupported        exits with code 77
//   crash_in_shell     exits as a shell whose command has crashed
//   crash, crash_on_no_bytes   ends by a signal, always or if there is such one
//   hang               for ever, with a child that does
//   talk               without end
//   refuse             exits with code 3 and a message
//   nothing, garbage, other_trace, folder, link, pipe, no_column   writes no
//   good plan
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "stowage/trace.h"

namespace {

void Misbehave(const std::string& how, const std::string& out) {
  if (how == "crash") raise(SIGABRT);
  if (how == "hang") {
    fork();
    while (true) pause();
  }
  if (how == "talk") {
    while (true) std::puts("and another thing");
  }
  if (how == "folder") std::filesystem::create_directory(out);
  if (how == "link") std::filesystem::create_symlink("/dev/zero", out);
  if (how == "pipe") mkfifo(out.c_str(), S_IRWXU);
}

bool WritesNothing(const std::string& how) {
  return how == "nothing" || how == "folder" || how == "link" || how == "pipe";
}

stowage::Trace Naive(stowage::Trace trace, const std::string& how) {
  size_t end = 0;
  for (size_t i = 0; i < trace.records.size(); ++i) {
    const auto& record = trace.records[i];
    if (how == "crash_on_no_bytes" && record.tensor_size == 0) raise(SIGABRT);
    if (how == "objects") {
      trace.objects.push_back(i + 100);
      continue;
    }
    const size_t alignment = trace.alignment().Of(i);
    const size_t place = (end + alignment - 1) / alignment * alignment;
    const bool is_unread = record.first_task == record.last_task;
    trace.offsets.push_back(how == "unread" && is_unread ? 0 : place);
    end = place + record.tensor_size;
  }
  const bool is_fine =
      how == "in_order"
          ? std::is_sorted(trace.records.begin(), trace.records.end())
          : how != "up_to_64" || trace.records.size() <= 64;
  if (!is_fine) std::fill(trace.offsets.begin(), trace.offsets.end(), 0);
  if (how == "other_trace" && !trace.ids.empty()) trace.ids[0] = "nobody";
  return trace;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string how = argv[1];
  const std::string out = argv[3];
  Misbehave(how, out);
  if (WritesNothing(how)) return 0;
  if (how == "refuse") {
    std::puts("not today:\nI have a headache\n");
    return 3;
  }
  if (how == "unsupported") return 77;
  if (how == "crash_in_shell") return 128 + SIGSEGV;
  const absl::StatusOr<stowage::Trace> trace = stowage::ReadTraceCsv(argv[2]);
  if (!trace.ok()) return 4;
  stowage::Trace plan = Naive(*trace, how);
  if (how == "no_column") plan.offsets.clear();
  const absl::StatusOr<std::string> csv = stowage::FormatTraceCsv(plan);
  if (!csv.ok()) return 5;
  const std::string content = how == "garbage" ? "\x7f"
                                                 "ELF"
                                               : *csv;
  return std::ofstream(out) << content ? 0 : 6;
}
