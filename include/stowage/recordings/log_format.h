// SPDX-License-Identifier: Apache-2.0
// Defines the format `stowage-log`: a file of allocations in the order in which
// they happened. The recorder (stowage/recorder.h) and the preloaded library of
// `stowage record` write such files. To read a file, use recording.h; for a
// summary, use log_info.h. Writers and readers share this header. Its functions
// allocate no memory and throw no exceptions, so an allocator can use them.
//
//   | file header | chunk of lane 0 | chunk of lane 1 | chunk of lane 0 | ...
//
// Each lane is written by one thread at a time, into a chunk of the file that
// is mapped into memory. An event is therefore in the file as soon as it is
// written, even if the process is killed immediately afterwards. New chunks are
// zeroed, and the first byte of an event is never 0 and is written last. A 0 in
// place of the first byte of an event therefore marks the end of the events of
// a chunk. A chunk can be decoded without the chunks before it.
//
// Sequence numbers are unique in a file and increase along each lane. Merging
// the lanes by sequence number gives an order of the events that the program
// may have observed. A missing sequence number belongs to an event that was
// lost, or that was not yet written when the process was killed. Integers are
// stored in little-endian order.
//
//   event: first byte: bits 0-2 kind, bit 3: a sequence delta follows (else it
//                      is 1), bits 4-7: the count of bytes of the id delta
//          sequence delta, a varint
//          id delta: the difference of the rotated ids, zigzag
//          kAlloc: the size, a varint
//          kAllocWith: bits 0-5 of a byte: log2 of the alignment, bit 6: a pool
//                      follows; the size, a varint; the pool, a varint
//          kCancel: the distance to the sequence number that is cancelled
#ifndef STOWAGE_RECORDINGS_LOG_FORMAT_H_
#define STOWAGE_RECORDINGS_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stowage::log_format {

// The first byte is not valid in UTF-8 text, so no text file begins like a log.
constexpr char kMagic[8] = {'\x93', 'S', 'T', 'O', 'W', 'L', 'O', 'G'};
constexpr uint32_t kVersion = 1;
constexpr uint32_t kChunkMagic = 0x4B4E4843;  // "CHNK"

// kFolderVariable is the environment variable that enables the preloaded
// library and names the folder of the logs. kFileEnding is the extension of log
// files. The library that replays a plan uses the same variable, so that the
// environment of a program has the same size in a recording and in a replay.
constexpr char kFolderVariable[] = "STOWAGE_PRELOADED";
constexpr char kFileEnding[] = ".stowlog";
// If the path of the folder begins with this prefix, touches are recorded. The
// prefix does not change the folder that the path names.
constexpr char kTouchesPrefix[] = "/./";

// The header and all chunks begin and end at multiples of this number of bytes.
// Only the last chunk of a file may end earlier.
constexpr uint32_t kChunkAlignment = 4096;
constexpr uint32_t kMaxChunkBytes = 1 << 18;
constexpr uint32_t kMaxLanes = 64;
constexpr uint64_t kMaxHeaderBytes = 1 << 20;

enum FileFlags : uint32_t {
  kForked = 1,     // the process began with the blocks of its parent
  kTextIsCut = 2,  // the text lacks the end of the arguments
  kWasClosed = 4,  // the recorder was closed
  kIsProcess = 8,  // the log has all allocations of a process image
  // A block is in use from an event kWrite to the next event kRead, or to the
  // free of the block. Despite their names, these events do not record whether
  // the block is read or written.
  kHasTouches = 16,
};

// The start of a file. It is followed by `text_bytes` bytes of text: the path
// of the program and its arguments, each terminated by a 0.
struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;  // the first chunk begins here
  uint32_t flags;
  // Ids are rotated right by this number of bits before they are subtracted,
  // which makes the differences small if the addresses are multiples of 16.
  uint16_t id_rotation;
  uint16_t alignment_log2;  // of the allocations of the kind kAlloc
  uint64_t process;
  uint64_t parent;
  uint64_t start_time;  // in nanoseconds since 1970
  // The number of events that could not be written, and the error number
  // (errno) of the cause.
  uint64_t lost;
  uint32_t lost_error;
  uint32_t text_bytes;
};
static_assert(sizeof(FileHeader) == 64);

struct ChunkHeader {
  uint32_t magic;
  uint32_t bytes;   // the size of the chunk, with this header
  uint32_t lane;    // less than kMaxLanes
  uint32_t number;  // chunks of a lane are numbered from 0
  // The sequence number and the rotated id of the last event before this chunk.
  uint64_t sequence;
  uint64_t id;
};
static_assert(sizeof(ChunkHeader) == 32);

enum class EventKind : uint8_t {
  kNone = 0,
  kAlloc = 1,
  kAllocWith = 2,  // with an alignment or a pool
  kFree = 3,
  kCancel = 4,  // an earlier free did not happen, because realloc failed
  kRead = 5,
  kWrite = 6,
  kStep = 7,  // a task ends
};

struct Event {
  EventKind kind = EventKind::kNone;
  uint8_t alignment_log2 = 0;
  uint32_t pool = 0;
  uint64_t sequence = 0;
  uint64_t id = 0;
  uint64_t size = 0;
  uint64_t cancelled = 0;  // for kCancel: the sequence number of the free
};

// The sequence number and the rotated id of the last event of a lane.
struct Position {
  uint64_t sequence = 0;
  uint64_t id = 0;
};

// The maximum number of bytes that EncodeEvent may change.
constexpr size_t kMaxEventBytes = 48;

inline uint64_t RotateRight(uint64_t value, uint32_t bits) {
  return bits == 0 ? value : value >> bits | value << (64 - bits);
}

inline uint64_t RotateLeft(uint64_t value, uint32_t bits) {
  return bits == 0 ? value : value << bits | value >> (64 - bits);
}

// Stores the 8 bytes of a value, which compilers turn into one instruction.
inline void StoreLittle(uint64_t value, uint8_t* at) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<uint8_t>(value >> 8 * i);
}

inline uint64_t LoadLittle(const uint8_t* at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= uint64_t{at[i]} << 8 * i;
  return value;
}

inline uint8_t* WriteVarint(uint64_t value, uint8_t* at) {
  while (value >= 0x80) {
    *at++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<uint8_t>(value);
  return at;
}

// Reads a varint. Returns the end of the varint, or null if the varint does not
// end within [at, end) or does not fit in 64 bits.
inline const uint8_t* ReadVarint(const uint8_t* at, const uint8_t* end,
                                 uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at == end) return nullptr;
    const uint8_t byte = *at++;
    *value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return shift == 63 && byte > 1 ? nullptr : at;
  }
  return nullptr;
}

inline uint32_t BytesOf(uint64_t value) {
  uint32_t bytes = 0;
  for (; value != 0; value >>= 8) ++bytes;
  return bytes;
}

// The result of EncodeEvent: the first byte of an event, and the number of
// bytes of the event. EncodeEvent has written all bytes except the first, which
// the caller must store last.
struct EncodedEvent {
  uint8_t first = 0;
  uint8_t bytes = 0;
};

// Writes all bytes of the event except the first, from at[1] on, and moves the
// position to this event. at[0] remains 0. Requires kMaxEventBytes zeros at
// `at`. Leaves zeros after the event.
inline EncodedEvent EncodeEvent(const Event& event, uint32_t id_rotation,
                                Position* position, uint8_t* at) {
  uint8_t* to = at + 1;
  const uint64_t steps = event.sequence - position->sequence;
  auto first = static_cast<uint32_t>(event.kind);
  if (steps != 1) {
    first |= 8;
    to = WriteVarint(steps, to);
  }
  if (event.kind != EventKind::kStep) {
    const uint64_t id = RotateRight(event.id, id_rotation);
    const uint64_t delta = id - position->id;
    const uint64_t zigzag = delta << 1 ^ (0 - (delta >> 63));
    const uint32_t bytes =
#if defined(__GNUC__)
        (71 - static_cast<uint32_t>(__builtin_clzll(zigzag | 1))) / 8 -
        (zigzag == 0 ? 1 : 0);
#else
        BytesOf(zigzag);
#endif
    StoreLittle(zigzag, to);
    to += bytes;
    first |= bytes << 4;
    position->id = id;
  }
  if (event.kind == EventKind::kAllocWith) {
    *to++ = static_cast<uint8_t>(event.alignment_log2 |
                                 (event.pool != 0 ? 0x40 : 0));
  }
  if (event.kind == EventKind::kAlloc || event.kind == EventKind::kAllocWith) {
    to = WriteVarint(event.size, to);
  }
  if (event.kind == EventKind::kAllocWith && event.pool != 0) {
    to = WriteVarint(event.pool, to);
  }
  if (event.kind == EventKind::kCancel) {
    to = WriteVarint(event.sequence - event.cancelled, to);
  }
  position->sequence = event.sequence;
  return {static_cast<uint8_t>(first), static_cast<uint8_t>(to - at)};
}

// Decodes the event at `at` and moves the position to this event. Requires that
// the first byte is not 0. Returns the end of the event, or null if the bytes
// are not an event or the event extends beyond `end`.
inline const uint8_t* DecodeEvent(const uint8_t* at, const uint8_t* end,
                                  uint32_t id_rotation, Position* position,
                                  Event* event) {
  const uint8_t first = *at++;
  *event = Event();
  event->kind = static_cast<EventKind>(first & 7);
  const size_t id_bytes = first >> 4;
  uint64_t number = 1;
  if ((first & 8) != 0) at = ReadVarint(at, end, &number);
  if (at == nullptr || event->kind == EventKind::kNone || id_bytes > 8 ||
      (event->kind == EventKind::kStep && id_bytes != 0) || number == 0 ||
      number > UINT64_MAX - position->sequence ||
      static_cast<size_t>(end - at) < id_bytes) {
    return nullptr;
  }
  event->sequence = position->sequence + number;
  const uint64_t zigzag = LoadLittle(at, id_bytes);
  at += id_bytes;
  const uint64_t id = position->id + (zigzag >> 1 ^ (0 - (zigzag & 1)));
  event->id = RotateLeft(id, id_rotation);
  uint8_t with = 0;
  if (event->kind == EventKind::kAllocWith) {
    if (at == end || *at >= 0x80) return nullptr;
    with = *at++;
    event->alignment_log2 = with & 0x3F;
  }
  if (event->kind == EventKind::kAlloc ||
      event->kind == EventKind::kAllocWith) {
    at = ReadVarint(at, end, &event->size);
    if (at == nullptr) return nullptr;
  }
  if ((with & 0x40) != 0) {
    at = ReadVarint(at, end, &number);
    if (at == nullptr || number > UINT32_MAX) return nullptr;
    event->pool = static_cast<uint32_t>(number);
  }
  if (event->kind == EventKind::kCancel) {
    at = ReadVarint(at, end, &number);
    if (at == nullptr || number > event->sequence) return nullptr;
    event->cancelled = event->sequence - number;
  }
  position->sequence = event->sequence;
  if (event->kind != EventKind::kStep) position->id = id;
  return at;
}

}  // namespace stowage::log_format

#endif  // STOWAGE_RECORDINGS_LOG_FORMAT_H_
