// SPDX-License-Identifier: Apache-2.0
// Reads recordings: files in which other programs describe their memory, such
// as profiles, snapshots, allocation logs, and programs that contain a plan.
// Use this header to get all parts of a recording. To read recordings, problems
// and models with one function, pass RecordingFileFormats to ReadProblemFile
// (io/problem_file.h). To make a recording, use stowage/recorder.h.
//
//   const StatusOr<Recording> recording = ReadRecording("profile.json.gz");
//   if (!recording.ok()) return recording.status();
//   for (const RecordingPart& part : recording->parts) {
//     const StatusOr<Problem> problem = Problem::Create(part.file.problem);
//
// docs/recordings.md explains how to create a file of each format. Files may be
// compressed with gzip or zstd. Their content is not trusted, and nothing in
// them is executed.
#ifndef STOWAGE_RECORDINGS_RECORDING_H_
#define STOWAGE_RECORDINGS_RECORDING_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/event_log.h"

namespace stowage {

struct RecordingOptions {
  // The events that begin and end a lifetime. Used only for formats that
  // consist of events.
  EventRules events;
  // A power of two. The size of every record is rounded up to a multiple of it.
  size_t tensor_alignment = 1;
  // For graphs with open dimensions (ONNX): `dims` maps the name of a dimension
  // to its extent, and `default_dim` is the extent of every other open
  // dimension.
  std::map<std::string, size_t> dims = {};
  optional<size_t> default_dim = nullopt;
};

// One problem of a recording. A part is a device of a profile, a module of a
// compiler or a method of a program. The parts of a recording are planned
// independently.
struct RecordingPart {
  // The name, such as "cuda:0", which is unique in the recording and is
  // printable UTF-8.
  std::string name;
  // The problem and, if the recording has it, the plan that the runtime made.
  ProblemFile file;
  // The indices of the records with contents that exist before the first task
  // and are kept after the last task, such as weights that a program trains. In
  // `file`, the lifetimes of these records nevertheless cover only their uses.
  // To check the plan of the runtime, make these records live at every task.
  std::vector<size_t> kept = {};
};

struct Recording {
  // The name of the format (RecordingFormatInfo::name).
  std::string format;
  // The parts, at least one, in the order of the file.
  std::vector<RecordingPart> parts;
};

// Reads a recording from a file, or from standard input if the path is "-".
// Errors: InvalidArgument if the file has none of the RecordingFormats, has a
// format that cannot be planned, or is malformed (the message names the place
// and what was expected); OutOfRange if a rounded size does not fit in 64 bits;
// ResourceExhausted if the file unpacks to more bytes than kMaxUnpackedBytes
// allows; those of InputFile.
StatusOr<Recording> ReadRecording(const std::string& path,
                                  const RecordingOptions& options = {});

// Like ReadRecording, for the content of a file. Error messages refer to the
// file as `name`. The name also identifies formats that cannot be recognized by
// their content.
StatusOr<Recording> ParseRecording(string_view bytes, const std::string& name,
                                   const RecordingOptions& options = {});

// The maximum number of bytes that are unpacked into memory from a compressed
// file. Formats that are read as a stream have no such limit. In addition,
// every file may unpack to at most 100 times its size or 32 MiB, whichever is
// larger.
constexpr size_t kMaxUnpackedBytes = size_t{1} << 28;

// Describes a format for people.
struct RecordingFormatInfo {
  string_view name;         // is "torch-profile", for example
  string_view description;  // what writes such files, as a noun phrase
  // A clause about what to record instead, if files of this format cannot be
  // planned: "record with ...". Empty if the format is supported.
  string_view instead;
  // Facts about the format. Each comment names the options that have an effect
  // only if the fact is true.
  bool has_events = false;           // EventRules::alive_before, alive_after
  bool has_requested_frees = false;  // EventRules::frees
  bool has_open_dims = false;        // dims, default_dim
  bool has_uses = false;             // EventRules::uses
};

// Returns the table of formats. O(1).
std::vector<RecordingFormatInfo> RecordingFormats();

// Returns the formats of recordings for ReadProblemFile, which then reads a
// recording as one problem: the part with the name `part`, or the part with the
// most bytes if `part` is empty. The note of the file names the other parts.
// Errors of the parsers: those of ParseRecording; InvalidArgument if there is
// no part with this name.
std::vector<FileFormat> RecordingFileFormats(
    const RecordingOptions& options = {}, const std::string& part = "");

}  // namespace stowage

#endif  // STOWAGE_RECORDINGS_RECORDING_H_
