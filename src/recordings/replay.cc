// SPDX-License-Identifier: Apache-2.0
#include "stowage/recordings/replay.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/preload/replay_file.h"
#include "src/recordings/preloaded_program.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using recordings::PreloadedProgram;
using recordings::StartPreloaded;

constexpr uint64_t kGranule = STOWAGE_REPLAY_GRANULE;
constexpr uint64_t kHeaderBytes = STOWAGE_REPLAY_HEADER_BYTES;
// The minimum alignment of the arena. With a smaller alignment, it would depend
// on chance which alignments of blocks the arena satisfies.
constexpr uint64_t kLeastArenaAlignment = 65536;
// The maximum number of blocks. The library numbers blocks with 32 bits.
constexpr size_t kMaxBlocks = std::numeric_limits<uint32_t>::max() - 1;

static_assert(recordings::kPreloadedVariable == STOWAGE_REPLAY_VARIABLE,
              "the library finds its file by the variable that programs get");

// The contents of the file that the library reads.
struct ReplayPlan {
  stowage_replay_header header = {};
  std::vector<stowage_replay_block> blocks;
};

absl::Status RecordError(const ProblemFile& file, size_t record,
                         string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat("id '", file.problem.names[record], "' ", message));
}

absl::Status CheckHasOffsets(const ProblemFile& file) {
  const size_t count = file.problem.records.size();
  if (file.plan.offsets.size() != count) {
    return absl::InvalidArgumentError(
        "no plan of offsets; expected a column offset");
  }
  if (file.problem.names.size() != count) {
    return absl::InvalidArgumentError(
        "no ids; expected the number of each allocation");
  }
  if (file.problem.constraints.pools.size() > 1) {
    return absl::InvalidArgumentError("several pools; expected one arena");
  }
  if (file.problem.free_order) {
    return absl::InvalidArgumentError(
        "the order of its tasks is free; expected the order in which a program "
        "allocates");
  }
  if (count > kMaxBlocks) {
    return absl::InvalidArgumentError(absl::StrCat(
        count, " records; expected at most ", kMaxBlocks, " allocations"));
  }
  return absl::OkStatus();
}

StatusOr<stowage_replay_block> BlockOf(const ProblemFile& file, size_t record) {
  stowage_replay_block block = {};
  if (!absl::SimpleAtoi(file.problem.names[record], &block.number)) {
    return RecordError(file, record,
                       "is not a number; expected the number of an allocation");
  }
  block.size = file.problem.records[record].tensor_size;
  block.offset = file.plan.offsets[record];
  if (block.offset > std::numeric_limits<uint64_t>::max() - block.size) {
    return RecordError(file, record, "ends beyond 2^64 - 1; expected less");
  }
  if (block.offset % kGranule != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "id '", file.problem.names[record], "' has the offset ", block.offset,
        "; expected a multiple of ", kGranule,
        ", as malloc returns: a plan made with --alignment ", kGranule));
  }
  return block;
}

StatusOr<ReplayPlan> PlanOf(const ProblemFile& file) {
  if (absl::Status s = CheckHasOffsets(file); !s.ok()) return s;
  ReplayPlan plan;
  plan.header.magic = STOWAGE_REPLAY_MAGIC;
  plan.header.arena_alignment = kLeastArenaAlignment;
  const Alignments alignments = AlignmentsOf(file.problem);
  if (absl::Status s = alignments.Check(file.problem.records.size()); !s.ok()) {
    return s;
  }
  std::vector<std::pair<uint64_t, size_t>> order;  // numbers and records
  for (size_t i = 0; i < file.problem.records.size(); ++i) {
    const StatusOr<stowage_replay_block> block = BlockOf(file, i);
    if (!block.ok()) return block.status();
    if (block->size == 0) continue;  // as if it had no record
    plan.header.arena_bytes =
        std::max(plan.header.arena_bytes, block->offset + block->size);
    plan.header.arena_alignment =
        std::max<uint64_t>(plan.header.arena_alignment, alignments.Of(i));
    plan.blocks.push_back(*block);
    order.emplace_back(block->number, i);
  }
  std::sort(order.begin(), order.end());
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i].first != order[i - 1].first) continue;
    return RecordError(file, order[i].second,
                       "is the number of two records; expected one");
  }
  std::sort(plan.blocks.begin(), plan.blocks.end(),
            [](const stowage_replay_block& a, const stowage_replay_block& b) {
              return a.number < b.number;
            });
  plan.header.block_count = plan.blocks.size();
  return plan;
}

// A file in memory. The program maps the file using its path.
class SharedPlan {
 public:
  SharedPlan() = default;
  ~SharedPlan() {
    if (header_ != nullptr) munmap(header_, kHeaderBytes);
    if (file_ >= 0) close(file_);
  }
  SharedPlan(const SharedPlan&) = delete;
  SharedPlan& operator=(const SharedPlan&) = delete;

  absl::Status Write(const ReplayPlan& plan) {
    file_ = memfd_create("stowage_replay", MFD_CLOEXEC);
    if (file_ < 0) return SystemError();
    std::string content(kHeaderBytes, '\0');
    std::memcpy(content.data(), &plan.header, sizeof plan.header);
    content.append(reinterpret_cast<const char*>(plan.blocks.data()),
                   plan.blocks.size() * sizeof(stowage_replay_block));
    for (size_t done = 0; done < content.size();) {
      const ssize_t count =
          write(file_, content.data() + done, content.size() - done);
      if (count <= 0) return SystemError();
      done += static_cast<size_t>(count);
    }
    void* const start = mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED, file_, 0);
    if (start == MAP_FAILED) return SystemError();
    header_ = start;
    return absl::OkStatus();
  }

  std::string path() const {
    return absl::StrCat("/proc/", getpid(), "/fd/", file_);
  }

  // Returns the header, including everything that the library has written.
  stowage_replay_header Header() const {
    stowage_replay_header header;
    std::memcpy(&header, header_, sizeof header);
    header.program[sizeof header.program - 1] = '\0';
    return header;
  }

 private:
  static absl::Status SystemError() {
    return absl::ErrnoToStatus(errno, "the plan cannot be shared");
  }

  int file_ = -1;
  void* header_ = nullptr;
};

// Waits for the end of the process.
void WaitForEnd(pid_t process, const ReplayRequest& request,
                ReplayReport* report) {
  siginfo_t info = {};
  // The process has not been reaped, so its id stays valid until on_process(0)
  // is called.
  while (waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOWAIT) !=
             0 &&
         errno == EINTR) {
  }
  if (request.on_process) request.on_process(0);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    report->signal = WTERMSIG(status);
  } else {
    report->exit_code = WEXITSTATUS(status);
  }
}

// Describes how the allocation at which the program was stopped differs from
// the plan.
std::string DescribeStop(const stowage_replay_header& header) {
  switch (header.stop) {
    case STOWAGE_REPLAY_OTHER_SIZE:
      return absl::StrCat("it asks for ", header.size,
                          " bytes, and the plan has ", header.planned_size);
    case STOWAGE_REPLAY_NOT_PLANNED:
      return absl::StrCat("it asks for ", header.size,
                          " bytes, and the plan does not contain it");
    case STOWAGE_REPLAY_OTHER_ALIGNMENT:
      return absl::StrCat("it asks for the alignment ", header.alignment,
                          ", and the plan has the offset ",
                          header.planned_offset);
    case STOWAGE_REPLAY_OVERLAP:
      return absl::StrCat("its place, bytes ", header.planned_offset, " to ",
                          header.planned_offset + header.planned_size,
                          ", overlaps allocation ", header.other_number,
                          ", which is still live");
    case STOWAGE_REPLAY_THREAD:
      return absl::StrCat("a second thread asks for ", header.size,
                          " bytes; expected a program with one thread");
    case STOWAGE_REPLAY_BAD_FREE:
      return absl::StrCat("before it, byte ", header.planned_offset,
                          " of the arena is freed, where no live block begins");
    case STOWAGE_REPLAY_EXECUTES:
      return "it executes another image, to which the plan belongs";
    default:
      return absl::StrCat("the arena of ", header.arena_bytes,
                          " bytes cannot be mapped");
  }
}

// Returns ReplayReport::divergence.
std::string Divergence(const ReplayPlan& plan, const ReplayReport& report,
                       const stowage_replay_header& header) {
  if (header.stop != STOWAGE_REPLAY_GOING) {
    const char* hint = "";
    if (header.allocations == 0 &&
        header.stop <= STOWAGE_REPLAY_OTHER_ALIGNMENT) {
      hint = "; the plan belongs to another image";
    } else if (header.stop == STOWAGE_REPLAY_OTHER_SIZE ||
               header.stop == STOWAGE_REPLAY_NOT_PLANNED) {
      hint =
          "; expected the arguments, environment, input and kinds of output of "
          "the recording, and a recording without lost events";
    }
    return absl::StrCat("diverges at allocation ", header.allocations, ": ",
                        DescribeStop(header), hint);
  }
  if (header.state == STOWAGE_REPLAY_NOT_LOADED) {
    return "did not load the library that serves its allocations; expected a "
           "program that is neither static nor setuid";
  }
  if (report.signal != 0) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
    const char* const name = strsignal(report.signal);
    return absl::StrCat("was ended by signal ", report.signal, " (", name,
                        ") after ", header.allocations, " allocations");
  }
  if (header.blocks_served < plan.blocks.size()) {
    const stowage_replay_block& next =
        plan.blocks[static_cast<size_t>(header.blocks_served)];
    return absl::StrCat("diverges at allocation ", next.number,
                        ": it ended after ", header.allocations,
                        " allocations, and the plan has ", next.size,
                        " bytes there");
  }
  return "";
}

}  // namespace

StatusOr<ReplayReport> Replay(const ProblemFile& plan,
                              const ReplayRequest& request) {
  StatusOr<ReplayPlan> asked = PlanOf(plan);
  if (!asked.ok()) return asked.status();
  asked->header.poisons = request.poisons ? 1 : 0;
  if (access(request.library.c_str(), R_OK) != 0) {
    return absl::UnimplementedError(
        absl::StrCat(request.library,
                     ": cannot be read; expected the library that serves "
                     "allocations from a plan"));
  }
  SharedPlan shared;
  if (absl::Status s = shared.Write(*asked); !s.ok()) return s;
  PreloadedProgram program;
  program.command = request.command;
  program.library = request.library;
  program.path = shared.path();
  const StatusOr<pid_t> process = StartPreloaded(program);
  if (!process.ok()) return process.status();
  if (request.on_process) request.on_process(*process);
  ReplayReport report;
  WaitForEnd(*process, request, &report);
  const stowage_replay_header header = shared.Header();
  report.program = header.program;
  report.allocations = header.allocations;
  report.bytes_asked = header.bytes_asked;
  report.arena_bytes = static_cast<size_t>(asked->header.arena_bytes);
  report.divergence = Divergence(*asked, report, header);
  return report;
}

}  // namespace stowage
