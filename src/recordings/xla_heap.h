// SPDX-License-Identifier: Apache-2.0
// Reads the buffer assignment of one XLA module, with the plan that XLA has
// made for its temporary buffers. The field numbers and the meaning of the
// fields are defined in xla/service/hlo.proto of github.com/openxla/xla. To
// read files, use xla.cc.
#ifndef STOWAGE_SRC_RECORDINGS_XLA_HEAP_H_
#define STOWAGE_SRC_RECORDINGS_XLA_HEAP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/recordings/xla_assignment.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

// The maximum number of parts of a file. Real files have fewer heap traces, and
// the limit bounds the memory that a hostile file can occupy.
constexpr size_t kMaxXlaParts = size_t{1} << 14;

struct XlaModule {
  // The name and the id of the module, such as "jit_f.12".
  std::string name;
  bool has_assignment = false;
  // A part for each allocation that is planned by a heap trace. The name of a
  // part contains the number of the allocation, and its note is about this
  // allocation only.
  std::vector<RecordingPart> parts;
  // The bytes of the allocations without a part, indexed by XlaUse.
  std::array<uint64_t, kXlaUses> whole_bytes = {};
};

// Reads a HloProto message. Tasks are the numbers of the events in a heap
// trace. Each record of a part is a buffer that has events; it is live from its
// allocation up to its release. Errors: InvalidArgument if the message is
// corrupt or its events contradict each other; ResourceExhausted if the message
// is larger than any real module. O(bytes).
StatusOr<XlaModule> ReadXlaModule(string_view hlo, size_t tensor_alignment);

// Describes the allocations without a part, for example "24 bytes of
// parameters, 8 bytes of outputs".
std::string DescribeXlaBytes(const std::array<uint64_t, kXlaUses>& bytes);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_HEAP_H_
