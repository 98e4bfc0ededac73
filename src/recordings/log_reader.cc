// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/log_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/log_format.h"

namespace stowage::recordings {
namespace {

using log_format::ChunkHeader;
using log_format::Event;
using log_format::EventKind;
using log_format::FileHeader;

const uint8_t* BytesAt(string_view bytes, size_t at) {
  return reinterpret_cast<const uint8_t*>(bytes.data()) + at;
}

// Reads an integer of `size` bytes at position *at, and advances *at past the
// integer.
uint64_t Take(string_view bytes, size_t size, size_t* at) {
  const uint64_t value = log_format::LoadLittle(BytesAt(bytes, *at), size);
  *at += size;
  return value;
}

ChunkHeader ParseChunkHeader(string_view bytes, size_t at) {
  ChunkHeader header = {};
  header.magic = static_cast<uint32_t>(Take(bytes, 4, &at));
  header.bytes = static_cast<uint32_t>(Take(bytes, 4, &at));
  header.lane = static_cast<uint32_t>(Take(bytes, 4, &at));
  header.number = static_cast<uint32_t>(Take(bytes, 4, &at));
  header.sequence = Take(bytes, 8, &at);
  header.id = Take(bytes, 8, &at);
  return header;
}

}  // namespace

// Visits the events of one lane, one after another.
class LogReader::LaneCursor {
 public:
  LaneCursor(const LogReader& log, const std::vector<Chunk>& chunks)
      : log_(&log), chunks_(&chunks) {}

  const Event& event() const { return event_; }
  // Returns the position of the current event in the file.
  size_t position() const { return begin_; }

  // Moves to the next event. Sets *has_event to false at the end of the lane.
  // Errors: InvalidArgument.
  Status Advance(bool* has_event) {
    *has_event = false;
    for (;;) {
      if (at_ < end_ && log_->bytes_[at_] != '\0') break;
      if (next_ == chunks_->size()) return OkStatus();
      const Chunk& chunk = (*chunks_)[next_];
      if (next_ > 0 && (chunk.before.sequence != before_.sequence ||
                        chunk.before.id != before_.id)) {
        return log_->Error(chunk.begin - sizeof(ChunkHeader),
                           "the chunk does not continue its lane; expected the "
                           "numbers of the event before");
      }
      before_ = chunk.before;
      at_ = chunk.begin;
      end_ = chunk.end;
      ++next_;
    }
    begin_ = at_;
    const uint8_t* const file = BytesAt(log_->bytes_, 0);
    const uint8_t* const behind = log_format::DecodeEvent(
        file + at_, file + end_, log_->header_.id_rotation, &before_, &event_);
    if (behind == nullptr) {
      // The file was truncated within its last event.
      if (log_->is_truncated_ && end_ == log_->bytes_.size()) {
        at_ = end_;
        return OkStatus();
      }
      return log_->Error(begin_, "the bytes are not an event; expected one");
    }
    at_ = static_cast<size_t>(behind - file);
    *has_event = true;
    return OkStatus();
  }

 private:
  const LogReader* log_;
  const std::vector<Chunk>* chunks_;
  size_t next_ = 0;  // the index of the next chunk
  size_t begin_ = 0;
  size_t at_ = 0;
  size_t end_ = 0;
  log_format::Position before_;
  Event event_;
};

Status LogReader::Error(size_t at, string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(*name_, ": byte ", at, ": ", what));
}

Status LogReader::ReadHeader() {
  if (bytes_.size() < sizeof(FileHeader)) {
    return Error(bytes_.size(), "the file ends in its header; expected events");
  }
  size_t at = sizeof(header_.magic);
  header_.version = static_cast<uint32_t>(Take(bytes_, 4, &at));
  header_.header_bytes = static_cast<uint32_t>(Take(bytes_, 4, &at));
  header_.flags = static_cast<uint32_t>(Take(bytes_, 4, &at));
  header_.id_rotation = static_cast<uint16_t>(Take(bytes_, 2, &at));
  header_.alignment_log2 = static_cast<uint16_t>(Take(bytes_, 2, &at));
  header_.process = Take(bytes_, 8, &at);
  header_.parent = Take(bytes_, 8, &at);
  header_.start_time = Take(bytes_, 8, &at);
  header_.lost = Take(bytes_, 8, &at);
  header_.lost_error = static_cast<uint32_t>(Take(bytes_, 4, &at));
  header_.text_bytes = static_cast<uint32_t>(Take(bytes_, 4, &at));
  if (header_.version != log_format::kVersion) {
    return Error(sizeof(header_.magic),
                 absl::StrCat("the version is ", header_.version, "; expected ",
                              log_format::kVersion));
  }
  if (header_.header_bytes % log_format::kChunkAlignment != 0 ||
      header_.header_bytes == 0 ||
      header_.header_bytes > log_format::kMaxHeaderBytes ||
      header_.text_bytes > header_.header_bytes - sizeof(FileHeader) ||
      header_.id_rotation >= 64 || header_.alignment_log2 >= 64) {
    return Error(0,
                 "the header has a number that no recorder writes; "
                 "expected a log");
  }
  string_view text = bytes_.substr(at, header_.text_bytes);
  for (bool is_program = true; !text.empty(); is_program = false) {
    const size_t end = std::min(text.find('\0'), text.size());
    if (is_program) {
      program_ = std::string(text.substr(0, end));
    } else {
      arguments_.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  is_truncated_ = bytes_.size() < header_.header_bytes;
  return OkStatus();
}

Status LogReader::AddChunk(size_t at, const ChunkHeader& header) {
  if (header.bytes < sizeof(ChunkHeader) || header.bytes > (1U << 30)) {
    return Error(
        at, absl::StrCat("the chunk has ", header.bytes,
                         " bytes; expected at least ", sizeof(ChunkHeader)));
  }
  const size_t end = at + header.bytes;
  if (end < bytes_.size() && header.bytes % log_format::kChunkAlignment != 0) {
    return Error(at, absl::StrCat("the chunk has ", header.bytes,
                                  " bytes and is not the last one; expected a "
                                  "multiple of ",
                                  log_format::kChunkAlignment));
  }
  if (header.lane >= log_format::kMaxLanes) {
    return Error(
        at, absl::StrCat("the lane is ", header.lane, "; expected less than ",
                         log_format::kMaxLanes));
  }
  if (header.number != lanes_[header.lane].size()) {
    return Error(at, absl::StrCat("the chunk has the number ", header.number,
                                  "; expected ", lanes_[header.lane].size()));
  }
  if (end > bytes_.size()) is_truncated_ = true;
  lanes_[header.lane].push_back({at + sizeof(ChunkHeader),
                                 std::min(end, bytes_.size()),
                                 {header.sequence, header.id}});
  return OkStatus();
}

Status LogReader::FindChunks() {
  // The maximum number of unused bytes, which were reserved for chunks, at the
  // end of the file of a killed process. If a file has more unused bytes,
  // another program has extended the file.
  constexpr size_t kMaxUnused =
      size_t{log_format::kMaxLanes} * log_format::kMaxChunkBytes;
  lanes_.resize(log_format::kMaxLanes);
  size_t unused = 0;
  size_t at = header_.header_bytes;
  while (at < bytes_.size() && unused <= kMaxUnused) {
    if (bytes_.size() - at < sizeof(ChunkHeader)) {
      is_truncated_ = true;
      break;
    }
    const ChunkHeader header = ParseChunkHeader(bytes_, at);
    if (header.magic == 0) {
      unused += log_format::kChunkAlignment;
      at += log_format::kChunkAlignment;
      continue;
    }
    if (header.magic != log_format::kChunkMagic) {
      return Error(at, "there is no chunk; expected one, or zeros");
    }
    if (Status s = AddChunk(at, header); !s.ok()) return s;
    unused = 0;
    at += header.bytes;
  }
  return OkStatus();
}

template <typename Visit>
Status LogReader::Merge(const Visit& visit) const {
  std::vector<LaneCursor> waiting;  // a heap with the lowest number first
  const auto is_later = [](const LaneCursor& a, const LaneCursor& b) {
    return a.event().sequence > b.event().sequence;
  };
  for (const std::vector<Chunk>& chunks : lanes_) {
    LaneCursor cursor(*this, chunks);
    bool has_event = false;
    if (Status s = cursor.Advance(&has_event); !s.ok()) return s;
    if (has_event) waiting.push_back(cursor);
  }
  std::make_heap(waiting.begin(), waiting.end(), is_later);
  uint64_t last = 0;
  while (!waiting.empty()) {
    std::pop_heap(waiting.begin(), waiting.end(), is_later);
    LaneCursor& cursor = waiting.back();
    // Consecutive events are often in the same lane, so this loop visits events
    // of the lane as long as no other lane has an earlier event.
    const uint64_t limit =
        waiting.size() > 1 ? waiting.front().event().sequence : UINT64_MAX;
    bool has_event = true;
    while (has_event && cursor.event().sequence <= limit) {
      if (cursor.event().sequence == last) {
        return Error(cursor.position(),
                     absl::StrCat("a second event has the number ", last,
                                  "; expected each number once"));
      }
      last = cursor.event().sequence;
      visit(cursor.event());
      if (Status s = cursor.Advance(&has_event); !s.ok()) return s;
    }
    if (has_event) {
      std::push_heap(waiting.begin(), waiting.end(), is_later);
    } else {
      waiting.pop_back();
    }
  }
  return OkStatus();
}

Status LogReader::CheckEvents(absl::FunctionRef<void(const Event&)> visit) {
  return Merge([&](const Event& event) {
    visit(event);
    ++events_;
    last_sequence_ = event.sequence;
    has_steps_ |= event.kind == EventKind::kStep;
    has_pools_ |= event.pool != 0;
    if (event.kind == EventKind::kCancel) cancelled_.insert(event.cancelled);
  });
}

StatusOr<LogReader> LogReader::Open(string_view bytes,
                                    const std::string& name) {
  return Open(bytes, name, [](const Event& /*event*/) {});
}

StatusOr<LogReader> LogReader::Open(
    string_view bytes, const std::string& name,
    absl::FunctionRef<void(const Event&)> visit) {
  LogReader log(bytes, name);
  if (Status s = log.ReadHeader(); !s.ok()) return s;
  if (Status s = log.FindChunks(); !s.ok()) return s;
  if (Status s = log.CheckEvents(visit); !s.ok()) return s;
  return log;
}

void LogReader::ForEach(absl::FunctionRef<void(const Event&)> visit) const {
  Merge([&](const Event& event) {
    const bool is_cancelled =
        event.kind == EventKind::kCancel ||
        (event.kind == EventKind::kFree && !cancelled_.empty() &&
         cancelled_.count(event.sequence) > 0);
    if (!is_cancelled) visit(event);
  }).IgnoreError();  // Open has checked the events
}

}  // namespace stowage::recordings
