// SPDX-License-Identifier: Apache-2.0
// Writes small XLA profiles and modules, and shows the records that were read
// from them. As in all Protocol Buffers files, numbers that are 0 are omitted.
#ifndef STOWAGE_TESTS_RECORDINGS_XLA_WRITER_H_
#define STOWAGE_TESTS_RECORDINGS_XLA_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"

namespace stowage::xla {

// Number and Bytes return a field of a message.
std::string Number(uint64_t field, uint64_t value);
std::string Bytes(uint64_t field, const std::string& bytes);

struct Buffer {
  uint64_t id;
  uint64_t offset;
  uint64_t size;
};

struct Allocation {
  uint64_t index;
  uint64_t size;
  std::vector<Buffer> buffers;
  std::string flags = {};  // further fields

  Allocation Parameter() const;
  Allocation Output() const;
  Allocation ThreadLocal() const;
  Allocation Color(uint64_t color) const;
};

struct Event {
  uint64_t kind;
  uint64_t buffer;
  uint64_t shared;
};
inline Event Alloc(uint64_t buffer) { return {0, buffer, 0}; }
inline Event Free(uint64_t buffer) { return {1, buffer, 0}; }
inline Event Share(uint64_t buffer, uint64_t with) { return {2, buffer, with}; }

struct HeapTrace {
  uint64_t allocation;
  std::vector<Event> events;
};

struct Assignment {
  std::vector<Allocation> allocations;
  std::vector<HeapTrace> traces;

  // Returns the assignment as a message.
  std::string Text() const;
};

// Returns an HloModuleProto message with one computation.
std::string Module(const std::string& name, uint64_t id,
                   const std::string& computation = "main.1");

// Returns a message HloProto.
std::string Hlo(const std::string& module, const std::string& assignment);
std::string Hlo(const std::string& module, const Assignment& assignment);

// Plane and MetadataPlane return an XPlane message. The message of
// MetadataPlane contains modules.
std::string Plane(const std::string& name, uint64_t id = 0);
std::string MetadataPlane(const std::vector<std::string>& hlos);

// Returns a message XSpace.
std::string Space(const std::vector<std::string>& planes);

// Returns an assignment with one heap trace of three buffers. Two of the
// buffers overlap in time, and the third one is in the place of the first. The
// other allocations have no events.
Assignment SmallAssignment();
std::string SmallHlo();

// Returns the bytes of a file after a program has read it as UTF-8 text, which
// replaces each non-ASCII byte.
std::string LikeText(const std::string& bytes);

// Returns the rows of a part in the form "id: lower-upper size @offset".
std::vector<std::string> RowsOf(const RecordingPart& part);

// Returns the violation in the plan of a part, or nullopt if there is none. A
// plan that exceeds the arena of the part is also a violation.
optional<Violation> ViolationIn(const RecordingPart& part);

}  // namespace stowage::xla

#endif  // STOWAGE_TESTS_RECORDINGS_XLA_WRITER_H_
