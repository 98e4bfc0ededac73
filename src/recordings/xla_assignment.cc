// SPDX-License-Identifier: Apache-2.0
// The field numbers are those of xla/service/hlo.proto of
// github.com/openxla/xla.
#include "src/recordings/xla_assignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/xla_message.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

constexpr XlaSchema kXlaAssignment = {"BufferAssignmentProto", 0,
                                      XlaFields({1, 2, 3, 4})};
constexpr XlaSchema kXlaLogicalBuffer = {"LogicalBufferProto",
                                         XlaFields({1, 2, 4}), XlaFields({3})};
constexpr XlaSchema kXlaLocation = {"LogicalBufferProto.Location",
                                    XlaFields({4}), XlaFields({2})};
constexpr XlaSchema kXlaAlias = {"BufferAssignmentProto.BufferAlias",
                                 XlaFields({1}), XlaFields({2})};
constexpr XlaSchema kXlaAllocation = {"BufferAllocationProto",
                                      XlaFields({1, 2, 3, 5, 6, 7, 8, 11, 12}),
                                      XlaFields({9})};
constexpr XlaSchema kXlaAssigned = {"BufferAllocationProto.Assigned",
                                    XlaFields({1, 2, 3}), 0};
constexpr XlaSchema kXlaHeapTrace = {"HeapSimulatorTrace", XlaFields({2, 3}),
                                     XlaFields({1})};

// Byte counts have the type int64 in the file.
bool IsNegativeXlaNumber(uint64_t number) { return number >> 63 != 0; }

Status NegativeXlaBytes(uint64_t id, string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", id,
                   " has a negative number of bytes; expected a size and an "
                   "offset of at least 0"));
}

Status CheckXlaLogicalBuffer(string_view message) {
  XlaMessage fields(message, kXlaLogicalBuffer);
  while (fields.Next()) {
    if (fields.field() != 3) continue;
    Status status = CheckXlaMessage(fields.bytes(), kXlaLocation);
    if (!status.ok()) return status;
  }
  return fields.status();
}

Status ReadXlaAssigned(string_view message, size_t allocation,
                       std::vector<XlaBuffer>* buffers) {
  XlaBuffer buffer;
  buffer.allocation = allocation;
  XlaMessage fields(message, kXlaAssigned);
  while (fields.Next()) {
    if (fields.field() == 1) buffer.id = fields.value();
    if (fields.field() == 2) buffer.offset = fields.value();
    if (fields.field() == 3) buffer.size = fields.value();
  }
  if (!fields.status().ok()) return fields.status();
  if (IsNegativeXlaNumber(buffer.offset) || IsNegativeXlaNumber(buffer.size)) {
    return NegativeXlaBytes(buffer.id, "buffer");
  }
  buffers->push_back(buffer);
  return CheckXlaCount(buffers->size(), "buffers");
}

// Returns the use of an allocation. The first flag that is set is decisive,
// because, for example, a parameter can also be an output.
XlaUse XlaUseOf(uint64_t flags) {
  constexpr std::pair<unsigned, XlaUse> kFlags[] = {
      {5, XlaUse::kParameter},
      {12, XlaUse::kConstant},
      {3, XlaUse::kThreadLocal},
      {7, XlaUse::kOutput},
  };
  for (const auto& [field, use] : kFlags) {
    if ((flags >> field & 1) != 0) return use;
  }
  return XlaUse::kTemporary;
}

Status ReadXlaAllocation(string_view message, XlaAssignment* assignment) {
  XlaAllocation allocation;
  uint64_t flags = 0;  // a bit for each field that is a number other than 0
  XlaMessage fields(message, kXlaAllocation);
  while (fields.Next()) {
    const uint64_t field = fields.field();
    if (field == 1) allocation.index = fields.value();
    if (field == 2) allocation.size = fields.value();
    if (field == 8) allocation.color = fields.value();
    if (field < 64 && fields.value() != 0) flags |= uint64_t{1} << field;
    if (field != 9) continue;
    Status status = ReadXlaAssigned(
        fields.bytes(), assignment->allocations.size(), &assignment->buffers);
    if (!status.ok()) return status;
  }
  if (!fields.status().ok()) return fields.status();
  if (IsNegativeXlaNumber(allocation.size)) {
    return NegativeXlaBytes(allocation.index, "allocation");
  }
  allocation.use = XlaUseOf(flags);
  assignment->allocations.push_back(allocation);
  return CheckXlaCount(assignment->allocations.size(), "allocations");
}

Status ReadXlaHeapTrace(string_view message, XlaAssignment* assignment) {
  XlaMessage fields(message, kXlaHeapTrace);
  bool has_events = false;
  while (fields.Next()) has_events |= fields.field() == 1;
  if (!fields.status().ok()) return fields.status();
  // TPU back ends write a trace without events for each memory that they do not
  // plan. Such traces are ignored.
  if (has_events) assignment->traces.push_back(message);
  return CheckXlaCount(assignment->traces.size(), "heap traces");
}

Status ReadXlaAssignmentField(const XlaMessage& fields,
                              XlaAssignment* assignment) {
  switch (fields.field()) {
    case 1:
      return CheckXlaLogicalBuffer(fields.bytes());
    case 2:
      return CheckXlaMessage(fields.bytes(), kXlaAlias);
    case 3:
      return ReadXlaAllocation(fields.bytes(), assignment);
    case 4:
      return ReadXlaHeapTrace(fields.bytes(), assignment);
    default:
      return absl::OkStatus();
  }
}

}  // namespace

Status CheckXlaCount(size_t count, string_view items) {
  if (count <= kMaxXlaItems) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("has more than ", kMaxXlaItems, " ", items,
                   "; expected a module of at most this number"));
}

StatusOr<XlaAssignment> ReadXlaAssignment(string_view message) {
  XlaAssignment assignment;
  XlaMessage fields(message, kXlaAssignment);
  while (fields.Next()) {
    const Status status = ReadXlaAssignmentField(fields, &assignment);
    if (!status.ok()) return status;
  }
  if (!fields.status().ok()) return fields.status();
  std::vector<XlaBuffer>& buffers = assignment.buffers;
  const auto has_lower_id = [](const XlaBuffer& a, const XlaBuffer& b) {
    return a.id < b.id;
  };
  std::sort(buffers.begin(), buffers.end(), has_lower_id);
  const auto twin = std::adjacent_find(
      buffers.begin(), buffers.end(),
      [](const XlaBuffer& a, const XlaBuffer& b) { return a.id == b.id; });
  if (twin != buffers.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "buffer ", twin->id, " has two places; expected one allocation"));
  }
  return assignment;
}

XlaBuffer* FindXlaBuffer(uint64_t id, XlaAssignment* assignment) {
  std::vector<XlaBuffer>& buffers = assignment->buffers;
  const auto found =
      std::lower_bound(buffers.begin(), buffers.end(), id,
                       [](const XlaBuffer& buffer, uint64_t wanted) {
                         return buffer.id < wanted;
                       });
  return found == buffers.end() || found->id != id ? nullptr : &*found;
}

}  // namespace stowage::recordings
