// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/program_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/io/line_json.h"
#include "src/programs/place_slots.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"
#include "stowage/tensor_size.h"
#include "stowage/verify_values.h"

namespace stowage {
namespace {

constexpr size_t kStartBytes = 4096;

// Adds a record for scratch memory, and an entry for this record in every list
// that has one entry per record.
void AddScratchRecord(uint32_t point, size_t bytes, ProblemSpec* problem) {
  const size_t count = problem->records.size() + 1;
  problem->records.emplace_back(bytes, point, point);
  problem->names.push_back(StrCat("scratch of point ", point));
  if (!problem->alignments.empty()) {
    problem->alignments.resize(count, problem->alignments[0]);
  }
  if (!problem->fixed_offsets.empty()) problem->fixed_offsets.resize(count);
  if (!problem->constraints.places.empty()) {
    problem->constraints.places.resize(count);
  }
  if (!problem->labels.tensors.empty()) problem->labels.tensors.resize(count);
}

// Replaces the records of a problem that represent scratch memory.
void SetScratch(Span<const std::pair<uint32_t, size_t>> scratch,
                ProblemSpec* problem) {
  auto source = std::make_shared<ProgramSource>(*problem->labels.program);
  const size_t count = source->slots.size();
  problem->records.resize(count, {0, 0, 0});
  problem->names.resize(count);
  if (!problem->alignments.empty()) problem->alignments.resize(count);
  if (!problem->fixed_offsets.empty()) problem->fixed_offsets.resize(count);
  if (!problem->constraints.places.empty()) {
    problem->constraints.places.resize(count);
  }
  if (!problem->labels.tensors.empty()) problem->labels.tensors.resize(count);
  for (const auto& [point, bytes] : scratch) {
    AddScratchRecord(point, bytes, problem);
  }
  source->scratch.assign(scratch.begin(), scratch.end());
  problem->labels.program = std::move(source);
}

Status CheckScratch(const ProgramSource& source, const ProgramFile& file) {
  for (const ScratchMemory& scratch : file.scratch) {
    if (scratch.point < source.points.points.size()) continue;
    return InvalidArgumentError(StrCat("scratch memory of point ",
                                       scratch.point, "; expected one of ",
                                       source.points.points.size(), " points"));
  }
  return OkStatus();
}

}  // namespace

StatusOr<ProblemFile> ProblemFileOf(ProgramFile file) {
  StatusOr<ProgramProblem> made = ProblemOfProgram(file.program, file.options);
  if (!made.ok()) return made.status();
  auto source = std::make_shared<ProgramSource>();
  source->program = std::move(file.program);
  source->options = file.options;
  source->points = std::move(made->points);
  source->slots = std::move(made->slots);
  source->variables = std::move(made->variables);
  Status status = CheckScratch(*source, file);
  if (!status.ok()) return status;
  ProblemFile result;
  result.problem = std::move(made->problem);
  if (!file.offsets.empty()) {
    for (const SlotId slot : source->slots) {
      const optional<size_t>& offset = file.offsets[slot];
      if (!offset) {
        return InvalidArgumentError(
            StrCat("tensor \"", SlotName(source->program, slot),
                   "\" has no offset; expected one for each tensor that needs "
                   "memory, or none at all"));
      }
      result.plan.offsets.push_back(*offset);
    }
  }
  std::vector<std::pair<uint32_t, size_t>> scratch;
  for (const ScratchMemory& memory : file.scratch) {
    scratch.emplace_back(memory.point, memory.size);
    result.plan.offsets.push_back(memory.offset);
  }
  result.problem.labels.program = std::move(source);
  if (!scratch.empty()) SetScratch(scratch, &result.problem);
  return result;
}

ProgramFile ProgramFileOf(const ProblemFile& file) {
  const ProblemSpec& problem = file.problem;
  const ProgramSource& source = *problem.labels.program;
  ProgramFile result;
  result.program = source.program;
  result.options = source.options;
  result.options.capacity = problem.capacity;
  result.options.alignment =
      problem.alignments.empty() ? problem.alignment : problem.alignments[0];
  if (file.plan.offsets.empty()) return result;
  result.offsets.resize(source.points.slot_sizes.size());
  for (size_t i = 0; i < source.slots.size(); ++i) {
    result.offsets[source.slots[i]] = file.plan.offsets[i];
  }
  for (size_t i = 0; i < source.scratch.size(); ++i) {
    const auto& [point, bytes] = source.scratch[i];
    result.scratch.push_back(
        {point, bytes, file.plan.offsets[source.slots.size() + i]});
  }
  return result;
}

bool IsProgram(string_view start) {
  return HasOutermostKey(start, {"functions"});
}

FileFormat ProgramFormat(optional<ProgramCopies> copies) {
  FileFormat format;
  format.name = "program";
  format.start_bytes = kStartBytes;
  format.detect = [](string_view start, const std::string& /*path*/) {
    return IsProgram(start.substr(0, kStartBytes));
  };
  format.parse = [copies](string_view bytes,
                          string_view name) -> StatusOr<ProblemFile> {
    StatusOr<ProgramFile> file = ParseProgramJson(bytes, name);
    if (!file.ok()) return file.status();
    if (copies && *copies != file->options.copies) {
      // The plan in the file was made for a different setting of `copies`, so
      // it is dropped.
      file->options.copies = *copies;
      file->offsets.clear();
      file->scratch.clear();
    }
    StatusOr<ProblemFile> problem = ProblemFileOf(*std::move(file));
    if (problem.ok()) return problem;
    return Status(problem.status().code(),
                  StrCat(name, ": ", problem.status().message()));
  };
  return format;
}

StatusOr<std::vector<optional<size_t>>> SlotOffsets(
    const ProgramSource& source, size_t alignment,
    Span<const size_t> record_offsets) {
  std::vector<optional<size_t>> offsets(source.points.slot_sizes.size());
  optional<size_t> end = 0;
  const auto add = [&](size_t offset, size_t size) {
    const optional<size_t> sum = CheckedAdd(offset, size);
    if (!sum || !end) end = nullopt;
    if (end) end = std::max(*end, *sum);
  };
  for (size_t i = 0; i < source.slots.size(); ++i) {
    offsets[source.slots[i]] = record_offsets[i];
    add(record_offsets[i], source.points.slot_sizes[source.slots[i]]);
  }
  for (size_t i = source.slots.size(); i < record_offsets.size(); ++i) {
    add(record_offsets[i], source.scratch[i - source.slots.size()].second);
  }
  if (!end) return OutOfRangeError("offsets of tensors overflow 64 bits");
  const auto placed = PlaceVariables(source.points, source.variables, alignment,
                                     *end, &offsets);
  if (!placed.ok()) return placed.status();
  return offsets;
}

StatusOr<Solution> SolveWithScratch(
    ProblemSpec* problem,
    const std::function<StatusOr<Solution>(const ProblemSpec&)>& solve) {
  std::map<uint32_t, size_t> bytes;
  while (true) {
    StatusOr<Solution> solution = solve(*problem);
    if (!solution.ok() || problem->labels.program == nullptr ||
        solution->offsets() == nullptr) {
      return solution;
    }
    const ProgramSource& source = *problem->labels.program;
    const auto offsets = SlotOffsets(source, AlignmentsOf(*problem).Of(0),
                                     solution->offsets()->offsets);
    if (!offsets.ok()) return offsets.status();
    bytes.insert(source.scratch.begin(), source.scratch.end());
    // The loop terminates: scratch memory never shrinks from one iteration to
    // the next, and it never exceeds the bytes that the points copy.
    bool has_all = true;
    for (const auto& [point, needed] : ScratchNeeds(source.points, *offsets)) {
      size_t& known = bytes[point];
      has_all &= known >= needed;
      known = std::max(known, needed);
    }
    if (has_all) {
      const optional<ValueFault> fault =
          FindValueFault(source.points, *offsets);
      if (!fault) return solution;
      return InternalError(
          StrCat("the plan is not safe: ",
                 DescribeValueFault(source.program, source.points, *fault)));
    }
    SetScratch(
        std::vector<std::pair<uint32_t, size_t>>(bytes.begin(), bytes.end()),
        problem);
  }
}

StatusOr<CopiedBytes> CountCopies(const ProgramSource& source,
                                  Span<const optional<size_t>> offsets) {
  PointOptions options;
  options.copies_arguments = true;
  const StatusOr<ProgramPoints> points = PointsOf(source.program, options);
  if (!points.ok()) return points.status();
  CopiedBytes bytes;
  bytes.made = CountCopiedBytes(source.points, offsets);
  bytes.possible = CountCopiedBytes(*points, {});
  return bytes;
}

std::vector<SlotCopy> CopiesLeftOut(const ProgramPoints& points,
                                    Span<const optional<size_t>> offsets) {
  std::vector<SlotCopy> copies;
  for (const Point& point : points.points) {
    for (const SlotCopy& copy : point.copies) {
      if (!offsets[copy.source] ||
          offsets[copy.destination] != offsets[copy.source]) {
        continue;
      }
      copies.push_back(copy);
    }
  }
  const auto key = [](const SlotCopy& copy) {
    return std::pair(copy.destination, copy.source);
  };
  std::sort(copies.begin(), copies.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  copies.erase(std::unique(copies.begin(), copies.end(),
                           [&](const auto& a, const auto& b) {
                             return key(a) == key(b);
                           }),
               copies.end());
  return copies;
}

std::string DescribeProgramFault(const ProgramSource& source,
                                 Span<const optional<size_t>> offsets,
                                 Span<const ScratchMemory> scratch) {
  const optional<ValueFault> fault = FindValueFault(source.points, offsets);
  if (fault) return DescribeValueFault(source.program, source.points, *fault);
  std::map<uint32_t, size_t> bytes;
  for (const ScratchMemory& memory : scratch) {
    bytes[memory.point] = memory.size;
  }
  for (const auto& [point, needed] : ScratchNeeds(source.points, offsets)) {
    if (bytes[point] >= needed) continue;
    return StrCat(PointPlace(source.program, source.points, point),
                  ": its copies form a cycle and have ", bytes[point],
                  " bytes of scratch memory; expected ", needed);
  }
  return "";
}

}  // namespace stowage
