// SPDX-License-Identifier: Apache-2.0
// Defines the table of formats, and finds the format of a file.
#include "stowage/recordings/recording.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/input_file.h"
#include "stowage/io/other_format.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using recordings::RecordingFormat;
using recordings::RecordingInput;

const RecordingFormat* const kFormats[] = {
    &recordings::kExecutorch,   &recordings::kIdealloc,
    &recordings::kTvmGraph,     &recordings::kXlaHlo,
    &recordings::kXlaXplane,    &recordings::kOnnx,
    &recordings::kStowageLog,   &recordings::kTorchSnapshot,
    &recordings::kTorchProfile, &recordings::kMtrace,
    &recordings::kValgrind,     &recordings::kHeaptrack,
    &recordings::kDhat,         &recordings::kHeaptrackInterpreted,
    &recordings::kMassif,       &recordings::kJemalloc,
    &recordings::kGperftools,   &recordings::kHeapprofd,
    &recordings::kLtrace,       &recordings::kMtraceReport,
};

const RecordingFormat* FindFormat(string_view bytes, const std::string& path) {
  std::string unpacked;
  const string_view start =
      recordings::UnpackStart(bytes.substr(0, recordings::kPackedStartBytes),
                              recordings::kDetectionBytes, &unpacked);
  const auto* const found = std::find_if(
      std::begin(kFormats), std::end(kFormats),
      [&](const RecordingFormat* row) { return row->detect(start, path); });
  return found == std::end(kFormats) ? nullptr : *found;
}

// Returns an error if a rounded size does not fit in 64 bits. Such a size was
// left as it is (RoundedSize).
absl::Status CheckRoundedSizes(const std::vector<RecordingPart>& parts,
                               const std::string& name, size_t alignment) {
  for (const RecordingPart& part : parts) {
    const ProblemSpec& problem = part.file.problem;
    for (size_t i = 0; i < problem.records.size(); ++i) {
      const size_t size = problem.records[i].tensor_size;
      if (size % alignment == 0) continue;
      return absl::OutOfRangeError(absl::StrCat(
          name, ": part '", part.name, "', id '", problem.names[i], "': has ",
          size, " bytes, of which 64 bits cannot count the next multiple of ",
          alignment, "; expected a smaller size"));
    }
  }
  return absl::OkStatus();
}

StatusOr<Recording> ReadWith(const RecordingFormat& format, string_view bytes,
                             const std::string& name,
                             const RecordingOptions& options) {
  const RecordingFormatInfo& info = format.info;
  if (format.read == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": it is ", info.description, ", which has no lifetimes of ",
        "single blocks; ", info.instead));
  }
  RecordingInput input(bytes, name);
  RecordingOptions effective = options;
  if (!info.has_uses) effective.events.uses = UseRule::kAllocation;
  StatusOr<std::vector<RecordingPart>> parts = format.read(&input, effective);
  if (!parts.ok()) return parts.status();
  const absl::Status rounded =
      CheckRoundedSizes(*parts, name, options.tensor_alignment);
  if (!rounded.ok()) return rounded;
  return Recording{std::string(info.name), *std::move(parts)};
}

// Returns the sum of the sizes of all records, or 2^64 - 1 if the sum is
// larger.
uint64_t BytesOf(const RecordingPart& part) {
  uint64_t sum = 0;
  for (const TensorUsageRecord<size_t>& record : part.file.problem.records) {
    sum = sum > UINT64_MAX - record.tensor_size ? UINT64_MAX
                                                : sum + record.tensor_size;
  }
  return sum;
}

// The maximum number of parts that a message names.
constexpr size_t kMaxNamedParts = 8;

// Describes the parts other than `chosen`.
std::string Others(const std::vector<RecordingPart>& parts, size_t chosen) {
  std::vector<std::string> others;
  for (size_t i = 0; i < parts.size() && others.size() < kMaxNamedParts; ++i) {
    if (i == chosen) continue;
    others.push_back(absl::StrCat("'", parts[i].name, "' (records: ",
                                  parts[i].file.problem.records.size(), ")"));
  }
  const size_t left = parts.size() - (chosen < parts.size() ? 1 : 0);
  std::string list = absl::StrJoin(others, ", ");
  if (left > others.size()) {
    absl::StrAppend(&list, ", and ", left - others.size(), " more");
  }
  return list;
}

StatusOr<ProblemFile> ChoosePart(Recording recording, const std::string& name,
                                 const std::string& part) {
  std::vector<RecordingPart>& parts = recording.parts;
  size_t chosen = 0;
  if (part.empty()) {
    for (size_t i = 1; i < parts.size(); ++i) {
      if (BytesOf(parts[i]) > BytesOf(parts[chosen])) chosen = i;
    }
  } else {
    while (chosen < parts.size() && parts[chosen].name != part) ++chosen;
    if (chosen == parts.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": has no part '", part, "'; expected ",
                       Others(parts, parts.size())));
    }
  }
  ProblemFile file = std::move(parts[chosen].file);
  if (parts.size() > 1 && part.empty()) {
    file.note = absl::StrCat("part '", parts[chosen].name, "', the largest; ",
                             "--part chooses another: ", Others(parts, chosen),
                             file.note.empty() ? "" : "; ", file.note);
  }
  return file;
}

// Caches the format of the file that is being read, because every row of the
// table of formats queries it.
class FoundFormat {
 public:
  const RecordingFormat* Find(string_view start, const std::string& path) {
    if (start.data() != start_.data() || start.size() != start_.size() ||
        path != path_) {
      start_ = start;
      path_ = path;
      format_ = FindFormat(start, path);
    }
    return format_;
  }

 private:
  string_view start_;
  std::string path_;
  const RecordingFormat* format_ = nullptr;
};

FileFormat FileFormatOf(const RecordingFormat* format,
                        const std::shared_ptr<FoundFormat>& found,
                        const RecordingOptions& options,
                        const std::string& part) {
  FileFormat row;
  row.name = std::string(format->info.name);
  row.start_bytes = recordings::kPackedStartBytes;
  row.detect = [format, found](string_view start, const std::string& path) {
    return found->Find(start, path) == format;
  };
  row.parse = [format, options, part](
                  string_view bytes,
                  string_view name) -> StatusOr<ProblemFile> {
    const std::string file_name(name);
    StatusOr<Recording> recording =
        ReadWith(*format, bytes, file_name, options);
    if (!recording.ok()) return recording.status();
    return ChoosePart(*std::move(recording), file_name, part);
  };
  return row;
}

// Rejects compressed files that are not recognized as recordings. Only
// recordings may be compressed, so such a file is a model, a trace, or
// incomplete.
FileFormat CompressedFormat(const std::shared_ptr<FoundFormat>& found) {
  FileFormat row;
  row.name = "compressed";
  row.start_bytes = recordings::kPackedStartBytes;
  row.detect = [found](string_view start, const std::string& path) {
    return !recordings::PackerOf(start).empty() &&
           found->Find(start, path) == nullptr;
  };
  row.parse = [](string_view bytes, string_view name) -> StatusOr<ProblemFile> {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": it is compressed by ", recordings::PackerOf(bytes),
        "; stowage reads compressed recordings, but recognizes none in this "
        "file; expected the whole of one of `stowage trace --list-formats`, or "
        "the unpacked file"));
  };
  return row;
}

}  // namespace

StatusOr<Recording> ParseRecording(string_view bytes, const std::string& name,
                                   const RecordingOptions& options) {
  const RecordingFormat* const format = FindFormat(bytes, name);
  if (format != nullptr) return ReadWith(*format, bytes, name, options);
  const absl::Status other =
      CheckFormat(bytes.substr(0, kFormatStartBytes), name);
  if (!other.ok()) return other;
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": not in a known format of recordings; expected one of "
                   "`stowage trace --list-formats`"));
}

StatusOr<Recording> ReadRecording(const std::string& path,
                                  const RecordingOptions& options) {
  const StatusOr<std::unique_ptr<InputFile>> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const StatusOr<string_view> bytes = (*file)->Contents();
  if (!bytes.ok()) return bytes.status();
  return ParseRecording(*bytes, (*file)->name(), options);
}

std::vector<RecordingFormatInfo> RecordingFormats() {
  std::vector<RecordingFormatInfo> formats;
  for (const RecordingFormat* const format : kFormats) {
    formats.push_back(format->info);
  }
  return formats;
}

std::vector<FileFormat> RecordingFileFormats(const RecordingOptions& options,
                                             const std::string& part) {
  const auto found = std::make_shared<FoundFormat>();
  std::vector<FileFormat> formats;
  for (const RecordingFormat* const format : kFormats) {
    formats.push_back(FileFormatOf(format, found, options, part));
  }
  formats.push_back(CompressedFormat(found));
  return formats;
}

}  // namespace stowage
