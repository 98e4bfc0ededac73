// SPDX-License-Identifier: Apache-2.0
// Reads files in which XLA describes its memory: profiles (XSpace,
// *.xplane.pb), which are written by jax.profiler, and single modules
// (HloProto, *.hlo.pb). A profile stores the modules of its programs as event
// metadata in the plane /host:metadata. The field numbers are those of
// xla/tsl/profiler/protobuf/xplane.proto of github.com/openxla/xla. The
// contents of modules are read in xla_heap.h.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/xla_assignment.h"
#include "src/recordings/xla_detection.h"
#include "src/recordings/xla_heap.h"
#include "src/recordings/xla_message.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr XlaSchema kXlaSpace = {"XSpace", 0, XlaFields({1, 2, 3, 4})};
constexpr XlaSchema kXlaPlane = {"XPlane", XlaFields({1}),
                                 XlaFields({2, 3, 4, 5, 6})};
constexpr XlaSchema kXlaMapEntry = {"XPlane.Entry", XlaFields({1}),
                                    XlaFields({2})};
constexpr XlaSchema kXlaEventMetadata = {"XEventMetadata", XlaFields({1}),
                                         XlaFields({2, 3, 4, 5})};
constexpr XlaSchema kXlaStatMetadata = {"XStatMetadata", XlaFields({1}),
                                        XlaFields({2, 3})};
constexpr XlaSchema kXlaStat = {"XStat", XlaFields({1, 3, 4, 7}),
                                XlaFields({5, 6, 8})};

constexpr string_view kXlaMetadataPlane = "/host:metadata";

// Returns whether a program has treated the file as text and has replaced bytes
// that are not text with the replacement character (U+FFFD). The check stops
// early for an intact message, because the lengths and numbers near its
// beginning are not UTF-8.
bool IsRuinedXlaFile(string_view bytes) {
  return IsUtf8(bytes) && absl::StrContains(bytes, "\xEF\xBF\xBD");
}

// Returns the bytes of the file, or an error if they cannot be a message.
StatusOr<string_view> XlaContents(RecordingInput* input) {
  StatusOr<string_view> bytes = input->Contents();
  if (bytes.ok() && IsRuinedXlaFile(*bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        input->name(),
        ": some of its bytes were replaced by EF BF BD, as by a program that "
        "takes the file for text; expected the file as XLA wrote it"));
  }
  return bytes;
}

// Collects the modules of a file, and creates one list of their parts.
class XlaModules {
 public:
  explicit XlaModules(size_t tensor_alignment)
      : tensor_alignment_(tensor_alignment) {}

  // Reads a message HloProto.
  Status Add(string_view hlo);

  // Returns the parts of all modules. Errors: InvalidArgument if there are
  // none.
  StatusOr<std::vector<RecordingPart>> TakeParts();

 private:
  std::string UniqueName(const std::string& name);
  // Describes the modules without a part.
  std::string DescribeIdle() const;

  size_t tensor_alignment_;
  std::vector<RecordingPart> parts_;
  std::map<std::string, size_t> names_;  // and how often each was requested
  size_t modules_ = 0;
  size_t assignments_ = 0;  // modules that have a buffer assignment
  size_t idle_ = 0;         // modules that have one, but no part
  std::array<uint64_t, kXlaUses> idle_bytes_ = {};
  std::vector<std::string> idle_names_;  // names of the first ones
};

std::string XlaModules::UniqueName(const std::string& name) {
  size_t& count = names_[name];
  std::string unique = name;
  while (++count > 1) {
    unique = absl::StrCat(name, " (", count, ")");
    if (names_.emplace(unique, 1).second) break;
  }
  return unique;
}

Status XlaModules::Add(string_view hlo) {
  StatusOr<XlaModule> module = ReadXlaModule(hlo, tensor_alignment_);
  if (!module.ok()) return module.status();
  ++modules_;
  if (!module->has_assignment) return absl::OkStatus();
  ++assignments_;
  const std::string whole = DescribeXlaBytes(module->whole_bytes);
  if (module->parts.empty()) {
    constexpr size_t kMaxNamed = 8;
    ++idle_;
    for (size_t use = 0; use < kXlaUses; ++use) {
      idle_bytes_[use] += module->whole_bytes[use];
    }
    if (idle_names_.size() < kMaxNamed) idle_names_.push_back(module->name);
  }
  for (RecordingPart& part : module->parts) {
    part.name = UniqueName(absl::StrCat(module->name, "/", part.name));
    if (!whole.empty()) {
      absl::StrAppend(&part.file.note, "; further allocations have ", whole);
    }
    parts_.push_back(std::move(part));
  }
  if (parts_.size() <= kMaxXlaParts) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the modules have more than ", kMaxXlaParts,
                   " heap traces; expected at most this number"));
}

std::string XlaModules::DescribeIdle() const {
  const std::string bytes = DescribeXlaBytes(idle_bytes_);
  return absl::StrCat(
      idle_ == 1 ? "1 module has" : absl::StrCat(idle_, " modules have"),
      " no heap events: ", absl::StrJoin(idle_names_, ", "),
      idle_ > idle_names_.size() ? ", ..." : "",
      bytes.empty() ? "" : absl::StrCat(" (", bytes, ")"));
}

StatusOr<std::vector<RecordingPart>> XlaModules::TakeParts() {
  if (assignments_ == 0) {
    return absl::InvalidArgumentError(
        modules_ == 0
            ? absl::StrCat("has no module in a plane ", kXlaMetadataPlane,
                           "; expected a profile of a program that XLA "
                           "compiled, as jax.profiler.trace writes")
            : std::string("has no buffer assignment; expected a module after "
                          "all optimizations"));
  }
  if (parts_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        DescribeIdle(), "; expected a module with temporary buffers"));
  }
  for (RecordingPart& part : parts_) {
    if (idle_ > 0) absl::StrAppend(&part.file.note, "; ", DescribeIdle());
  }
  return std::move(parts_);
}

// Returns the value of an entry of a map.
StatusOr<string_view> XlaMapValue(string_view entry) {
  string_view value;
  XlaMessage fields(entry, kXlaMapEntry);
  while (fields.Next()) {
    if (fields.field() == 2) value = fields.bytes();
  }
  if (!fields.status().ok()) return fields.status();
  return value;
}

// Reads the plane that contains the modules in its event metadata.
class XlaMetadataPlane {
 public:
  explicit XlaMetadataPlane(XlaModules* modules) : modules_(modules) {}

  Status Read(string_view plane);

 private:
  Status ReadStatMetadata(string_view entry);
  Status ReadEventMetadata(string_view entry);
  Status ReadStat(string_view message);

  XlaModules* modules_;
  // The numbers of the statistics that contain modules. If there are none, all
  // statistics that consist of bytes are treated as modules.
  std::set<uint64_t> module_stats_;
};

Status XlaMetadataPlane::ReadStatMetadata(string_view entry) {
  const StatusOr<string_view> value = XlaMapValue(entry);
  if (!value.ok()) return value.status();
  uint64_t id = 0;
  string_view name;
  XlaMessage fields(*value, kXlaStatMetadata);
  while (fields.Next()) {
    if (fields.field() == 1) id = fields.value();
    if (fields.field() == 2) name = fields.bytes();
  }
  if (absl::EqualsIgnoreCase(name, "Hlo Proto") ||
      absl::EqualsIgnoreCase(name, "hlo_proto")) {
    module_stats_.insert(id);
  }
  return fields.status();
}

Status XlaMetadataPlane::ReadStat(string_view message) {
  uint64_t id = 0;
  string_view hlo;
  XlaMessage fields(message, kXlaStat);
  while (fields.Next()) {
    if (fields.field() == 1) id = fields.value();
    if (fields.field() == 6) hlo = fields.bytes();
  }
  if (!fields.status().ok() || hlo.empty()) return fields.status();
  if (!module_stats_.empty() && module_stats_.count(id) == 0) {
    return absl::OkStatus();
  }
  return modules_->Add(hlo);
}

Status XlaMetadataPlane::ReadEventMetadata(string_view entry) {
  const StatusOr<string_view> value = XlaMapValue(entry);
  if (!value.ok()) return value.status();
  XlaMessage fields(*value, kXlaEventMetadata);
  while (fields.Next()) {
    if (fields.field() != 5) continue;
    Status status = ReadStat(fields.bytes());
    if (!status.ok()) return status;
  }
  return fields.status();
}

Status XlaMetadataPlane::Read(string_view plane) {
  // The names of statistics are needed to read events, so they are read first,
  // although they follow the events in the file.
  XlaMessage names(plane, kXlaPlane);
  while (names.Next()) {
    if (names.field() != 5) continue;
    Status status = ReadStatMetadata(names.bytes());
    if (!status.ok()) return status;
  }
  XlaMessage events(plane, kXlaPlane);
  while (events.Next()) {
    if (events.field() != 4) continue;
    Status status = ReadEventMetadata(events.bytes());
    if (!status.ok()) return status;
  }
  return events.status();
}

// Reads one plane, but skips its events, which are the largest part of a
// profile.
Status ReadXlaPlane(string_view plane, XlaModules* modules) {
  string_view name;
  XlaMessage fields(plane, kXlaPlane);
  while (fields.Next()) {
    if (fields.field() == 2) name = fields.bytes();
  }
  if (!fields.status().ok() || name != kXlaMetadataPlane) {
    return fields.status();
  }
  return XlaMetadataPlane(modules).Read(plane);
}

StatusOr<std::vector<RecordingPart>> ReadXlaXplane(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = XlaContents(input);
  if (!bytes.ok()) return bytes.status();
  XlaModules modules(options.tensor_alignment);
  XlaMessage space(*bytes, kXlaSpace);
  while (space.Next()) {
    if (space.field() != 1) continue;
    const Status status = ReadXlaPlane(space.bytes(), &modules);
    if (!status.ok()) return AtXlaPlace(input->name(), status);
  }
  if (!space.status().ok()) return AtXlaPlace(input->name(), space.status());
  StatusOr<std::vector<RecordingPart>> parts = modules.TakeParts();
  if (!parts.ok()) return AtXlaPlace(input->name(), parts.status());
  return parts;
}

StatusOr<std::vector<RecordingPart>> ReadXlaHlo(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = XlaContents(input);
  if (!bytes.ok()) return bytes.status();
  XlaModules modules(options.tensor_alignment);
  const Status status = modules.Add(*bytes);
  if (!status.ok()) return AtXlaPlace(input->name(), status);
  StatusOr<std::vector<RecordingPart>> parts = modules.TakeParts();
  if (!parts.ok()) return AtXlaPlace(input->name(), parts.status());
  return parts;
}

}  // namespace

const RecordingFormat kXlaXplane = {
    {"xplane", "a profile of a program of XLA (.xplane.pb)", ""},
    IsXlaXplane,
    ReadXlaXplane,
};

const RecordingFormat kXlaHlo = {
    {"hlo", "a module of XLA with its buffer assignment (.hlo.pb)", ""},
    IsXlaHlo,
    ReadXlaHlo,
};

}  // namespace stowage::recordings
