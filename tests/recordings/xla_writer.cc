// SPDX-License-Identifier: Apache-2.0
#include "tests/recordings/xla_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage::xla {
namespace {

std::string XlaVarintOf(uint64_t number) {
  std::string bytes;
  while (number >= 0x80) {
    bytes += static_cast<char>(number | 0x80);
    number >>= 7;
  }
  bytes += static_cast<char>(number);
  return bytes;
}

std::string XlaMessageOf(const Allocation& allocation) {
  std::string message = Number(1, allocation.index) +
                        Number(2, allocation.size) + allocation.flags;
  for (const Buffer& buffer : allocation.buffers) {
    message += Bytes(9, Number(1, buffer.id) + Number(2, buffer.offset) +
                            Number(3, buffer.size));
  }
  return message;
}

std::string XlaMessageOf(const HeapTrace& trace) {
  std::string message;
  for (const Event& event : trace.events) {
    message += Bytes(1, Number(1, event.kind) + Number(2, event.buffer) +
                            Bytes(3, "main.1") +
                            Bytes(4, absl::StrCat("make.", event.buffer)) +
                            Number(5, event.shared));
  }
  return message + Number(2, 1) + Number(3, trace.allocation);
}

Allocation XlaWithFlag(Allocation allocation, uint64_t field, uint64_t value) {
  allocation.flags += Number(field, value);
  return allocation;
}

}  // namespace

std::string Number(uint64_t field, uint64_t value) {
  return value == 0 ? "" : XlaVarintOf(field << 3) + XlaVarintOf(value);
}

std::string Bytes(uint64_t field, const std::string& bytes) {
  return XlaVarintOf(field << 3 | 2) + XlaVarintOf(bytes.size()) + bytes;
}

Allocation Allocation::Parameter() const { return XlaWithFlag(*this, 5, 1); }
Allocation Allocation::Output() const { return XlaWithFlag(*this, 7, 1); }
Allocation Allocation::ThreadLocal() const { return XlaWithFlag(*this, 3, 1); }
Allocation Allocation::Color(uint64_t color) const {
  return XlaWithFlag(*this, 8, color);
}

std::string Assignment::Text() const {
  std::string message;
  for (const Allocation& allocation : allocations) {
    for (const Buffer& buffer : allocation.buffers) {
      // The location contains the number of the instruction and, as a packed
      // list, the index in the shape.
      const std::string location =
          Bytes(3, std::string(1, '\0')) + Number(4, 100 + buffer.id);
      message += Bytes(1, Number(1, buffer.id) + Number(2, buffer.size) +
                              Bytes(3, location));
    }
  }
  for (const Allocation& allocation : allocations) {
    message += Bytes(3, XlaMessageOf(allocation));
  }
  for (const HeapTrace& trace : traces)
    message += Bytes(4, XlaMessageOf(trace));
  return message;
}

std::string Module(const std::string& name, uint64_t id,
                   const std::string& computation) {
  const std::string instruction =
      Bytes(1, "add.1") + Bytes(2, "add") + Number(35, (uint64_t{1} << 32) + 1);
  return Bytes(1, name) + Bytes(2, "main.1") +
         Bytes(3,
               Bytes(1, computation) + Bytes(2, instruction) + Number(5, 1)) +
         Number(5, id);
}

std::string Hlo(const std::string& module, const std::string& assignment) {
  return Bytes(1, module) + Bytes(3, assignment);
}

std::string Hlo(const std::string& module, const Assignment& assignment) {
  return Hlo(module, assignment.Text());
}

std::string Plane(const std::string& name, uint64_t id) {
  const std::string event = Number(1, 7) + Number(2, 123456) + Number(3, 1000);
  const std::string line = Number(1, 1) + Bytes(2, "thread") + Bytes(4, event);
  return Number(1, id) + Bytes(2, name) + Bytes(3, line);
}

std::string MetadataPlane(const std::vector<std::string>& hlos) {
  std::string plane = Bytes(2, "/host:metadata");
  for (size_t i = 0; i < hlos.size(); ++i) {
    // A profile also has statistics other than the modules.
    const std::string event =
        Number(1, i + 1) + Bytes(2, absl::StrCat("module(", i, ")")) +
        Bytes(5, Number(1, 2) + Bytes(6, "\xFF\xFF\xFF\xFF")) +
        Bytes(5, Number(1, 1) + Bytes(6, hlos[i]));
    plane += Bytes(4, Number(1, i + 1) + Bytes(2, event));
  }
  const auto statistic = [](uint64_t id, const std::string& name) {
    return Bytes(5, Number(1, id) + Bytes(2, Number(1, id) + Bytes(2, name)));
  };
  return plane + statistic(1, "Hlo Proto") + statistic(2, "fingerprint");
}

std::string Space(const std::vector<std::string>& planes) {
  std::string space;
  for (const std::string& plane : planes) space += Bytes(1, plane);
  return space + Bytes(4, "host1");
}

Assignment SmallAssignment() {
  Assignment assignment;
  assignment.allocations = {
      Allocation{0, 24, {{1, 0, 24}}}.Parameter(),
      Allocation{1, 8, {{2, 0, 8}}}.Output(),
      Allocation{
          2, 1024, {{3, 0, 512}, {4, 512, 256}, {5, 0, 300}, {6, 900, 16}}},
  };
  assignment.traces = {
      {2, {Alloc(3), Alloc(4), Free(3), Alloc(5), Free(4), Free(5)}}};
  return assignment;
}

std::string SmallHlo() { return Hlo(Module("jit_f", 12), SmallAssignment()); }

std::vector<std::string> RowsOf(const RecordingPart& part) {
  const ProblemSpec& problem = part.file.problem;
  std::vector<std::string> rows;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const auto& record = problem.records[i];
    rows.push_back(absl::StrCat(problem.names[i], ": ", record.first_task, "-",
                                record.last_task + 1, " ", record.tensor_size,
                                " @", part.file.plan.offsets.at(i)));
  }
  return rows;
}

optional<Violation> ViolationIn(const RecordingPart& part) {
  const StatusOr<Problem> problem = Problem::Create(part.file.problem);
  EXPECT_THAT(problem, support::IsOk());
  return FindViolation(*problem, {part.file.plan.offsets,
                                  part.file.plan.arena_size.value_or(0)});
}

std::string LikeText(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    if (static_cast<uint8_t>(byte) < 0x80) {
      text += byte;
    } else {
      text += "\xEF\xBF\xBD";
    }
  }
  return text;
}

}  // namespace stowage::xla
