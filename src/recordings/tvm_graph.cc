// SPDX-License-Identifier: Apache-2.0
// Reads the graphs of the TVM graph executor (JSON). Each node of the kind
// "tvm_op" is a task. An output of a node is an entry, which has a shape, a
// type and a storage. Entries with the same storage use its memory one after
// another (source: src/runtime/graph_executor/graph_executor.h of
// github.com/apache/tvm).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "src/recordings/json_events.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/rounded_size.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_source.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/tensor_size.h"

namespace stowage::recordings {
namespace {

using TvmJson = nlohmann::json;

// The maximum size of a file. A graph of a few thousand operators has 1 MiB,
// and the parsed tree needs many times the size of the file.
constexpr size_t kMaxTvmBytes = size_t{1} << 23;

Status BadTvm(string_view place, string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", why));
}

// Returns the value for a key of an object, or null if there is none.
const TvmJson* TvmMember(const TvmJson& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// Returns the list for a key of an object, or null if there is none.
const TvmJson* TvmList(const TvmJson& object, const char* key) {
  const TvmJson* const list = TvmMember(object, key);
  return list != nullptr && list->is_array() ? list : nullptr;
}

// Returns the list in an attribute of the graph, which has a value for each
// entry. In the file, the attribute is a pair of the type of the list and the
// list itself. Returns null if there is no such list.
const TvmJson* TvmAttribute(const TvmJson& graph, const char* key) {
  const TvmJson* const attributes = TvmMember(graph, "attrs");
  if (attributes == nullptr) return nullptr;
  const TvmJson* const pair = TvmList(*attributes, key);
  if (pair == nullptr || pair->size() != 2) return nullptr;
  return (*pair)[1].is_array() ? &(*pair)[1] : nullptr;
}

optional<uint64_t> TvmNumber(const TvmJson& value) {
  if (!value.is_number_unsigned()) return nullopt;
  return value.get<uint64_t>();
}

std::string TvmText(const TvmJson* value) {
  return value != nullptr && value->is_string() ? value->get<std::string>()
                                                : "";
}

// Returns the number of bytes of an element of a type such as "float32" or
// "int8x4", or nothing for a type without a size.
optional<uint64_t> TvmElementBytes(string_view type) {
  if (type == "bool") return 1;
  if (type == "handle") return 8;
  const string_view whole = type;
  while (!type.empty() && absl::ascii_isalpha(static_cast<uint8_t>(type[0]))) {
    type.remove_prefix(1);
  }
  if (type.size() == whole.size()) return nullopt;
  const size_t x = type.find('x');
  uint32_t bits = 0;
  uint32_t lanes = 1;
  if (!absl::SimpleAtoi(type.substr(0, x), &bits) || bits == 0 ||
      (x != string_view::npos &&
       (!absl::SimpleAtoi(type.substr(x + 1), &lanes) || lanes == 0))) {
    return nullopt;
  }
  return (uint64_t{bits} * lanes + 7) / 8;
}

// Returns the extents of a tensor, or nothing if an extent is not fixed.
optional<std::vector<uint64_t>> TvmExtents(const TvmJson& shape) {
  if (!shape.is_array()) return nullopt;
  std::vector<uint64_t> extents;
  for (const TvmJson& extent : shape) {
    const optional<uint64_t> number = TvmNumber(extent);
    if (!number) return nullopt;
    extents.push_back(*number);
  }
  return extents;
}

struct TvmEntry {
  uint64_t size = 0;
  uint64_t storage = 0;
  uint64_t device = 0;
  uint64_t first = 0;  // the number of the node that writes it
  uint64_t last = 0;   // the number of the last node that reads it
  bool is_argument = false;
  size_t owner = 0;  // the entry that has the bytes of this one, or itself
  std::string name;
  std::string type;
  std::string shape;
  std::vector<size_t> readers;
};

class TvmGraph {
 public:
  TvmGraph(const TvmJson& graph, size_t tensor_alignment)
      : graph_(graph), tensor_alignment_(tensor_alignment) {}

  // Reads all entries. Errors: InvalidArgument, with the place in the file.
  Status Read();
  std::vector<RecordingPart> Parts() const;

 private:
  Status FindLists();
  Status ReadEntry(size_t entry);
  Status ReadNode(size_t node);
  // Returns the index of the entry to which a list [node, output, version]
  // refers.
  StatusOr<size_t> EntryOf(const TvmJson& reference, size_t end,
                           const std::string& place) const;
  std::string Note(uint64_t device) const;

  const TvmJson& graph_;
  size_t tensor_alignment_;
  const TvmJson* nodes_ = nullptr;
  const TvmJson* heads_ = nullptr;
  const TvmJson* shapes_ = nullptr;
  const TvmJson* types_ = nullptr;
  const TvmJson* storages_ = nullptr;
  const TvmJson* devices_ = nullptr;  // null if there is one device
  std::vector<uint64_t> rows_;  // the first entry of each node, and the end
  std::vector<TvmEntry> entries_;
};

Status TvmGraph::FindLists() {
  nodes_ = TvmList(graph_, "nodes");
  heads_ = TvmList(graph_, "heads");
  shapes_ = TvmAttribute(graph_, "shape");
  types_ = TvmAttribute(graph_, "dltype");
  storages_ = TvmAttribute(graph_, "storage_id");
  devices_ = TvmAttribute(graph_, "device_index");
  const TvmJson* const rows = TvmList(graph_, "node_row_ptr");
  if (nodes_ == nullptr || heads_ == nullptr) {
    return BadTvm("graph", "has no nodes or no heads; expected both lists");
  }
  if (shapes_ == nullptr || types_ == nullptr || storages_ == nullptr ||
      rows == nullptr) {
    return BadTvm("graph",
                  "has no shapes, types and storages of its entries (attrs); "
                  "expected the graph of a compiled program, as get_graph_json "
                  "of TVM returns");
  }
  for (const TvmJson& row : *rows) {
    const optional<uint64_t> number = TvmNumber(row);
    if (!number || *number > shapes_->size() ||
        (!rows_.empty() && *number < rows_.back())) {
      return BadTvm("node_row_ptr", "expected rising numbers of entries");
    }
    rows_.push_back(*number);
  }
  const size_t count = shapes_->size();
  if (rows_.size() != nodes_->size() + 1 || rows_.front() != 0 ||
      rows_.back() != count || types_->size() != count ||
      storages_->size() != count ||
      (devices_ != nullptr && devices_->size() != count)) {
    return BadTvm("graph",
                  "its lists have different lengths; expected a shape, a type "
                  "and a storage for each entry of node_row_ptr");
  }
  entries_.resize(count);
  return absl::OkStatus();
}

Status TvmGraph::ReadEntry(size_t entry) {
  TvmEntry& facts = entries_[entry];
  const std::string place = absl::StrCat("entry ", entry);
  facts.type = TvmText(&(*types_)[entry]);
  const optional<uint64_t> element_bytes = TvmElementBytes(facts.type);
  if (!element_bytes) {
    return BadTvm(place, absl::StrCat("has the type ", Quoted(facts.type),
                                      "; expected one with a number of bits"));
  }
  const optional<std::vector<uint64_t>> extents = TvmExtents((*shapes_)[entry]);
  const optional<uint64_t> storage = TvmNumber((*storages_)[entry]);
  if (!extents || !storage) {
    return BadTvm(place,
                  "has no fixed size or no storage; expected a shape of fixed "
                  "extents and the number of a storage");
  }
  facts.shape = absl::StrJoin(*extents, "x");
  optional<size_t> bytes = *element_bytes;
  for (const uint64_t extent : *extents) {
    if (bytes) bytes = CheckedMultiply(*bytes, extent);
  }
  if (!bytes) {
    return BadTvm(place, absl::StrCat("has the shape ", facts.shape,
                                      ", whose bytes 64 bits cannot count; "
                                      "expected fewer"));
  }
  facts.size = *bytes;
  facts.storage = *storage;
  if (devices_ != nullptr) {
    const optional<uint64_t> device = TvmNumber((*devices_)[entry]);
    if (!device) return BadTvm(place, "expected the number of its device");
    facts.device = *device;
  }
  facts.owner = entry;
  return absl::OkStatus();
}

StatusOr<size_t> TvmGraph::EntryOf(const TvmJson& reference, size_t end,
                                   const std::string& place) const {
  if (reference.is_array() && reference.size() >= 2) {
    const optional<uint64_t> node = TvmNumber(reference[0]);
    const optional<uint64_t> output = TvmNumber(reference[1]);
    if (node && output && *node < end &&
        *output < rows_[*node + 1] - rows_[*node]) {
      return rows_[*node] + *output;
    }
  }
  return BadTvm(place, "expected an output of an earlier node");
}

Status TvmGraph::ReadNode(size_t node) {
  const TvmJson& json = (*nodes_)[node];
  const std::string name = TvmText(TvmMember(json, "name"));
  const std::string kind = TvmText(TvmMember(json, "op"));
  const std::string place = absl::StrCat("node ", node, " ", Quoted(name));
  if (kind != "null" && kind != "tvm_op") {
    return BadTvm(place, absl::StrCat("is of the kind ", Quoted(kind),
                                      "; expected null or tvm_op"));
  }
  for (size_t entry = rows_[node]; entry < rows_[node + 1]; ++entry) {
    entries_[entry].first = entries_[entry].last = node;
    entries_[entry].is_argument = kind == "null";
    entries_[entry].name = name;
  }
  const TvmJson* const inputs = TvmList(json, "inputs");
  if (inputs == nullptr) return BadTvm(place, "expected a list of inputs");
  const TvmJson* const attributes = TvmMember(json, "attrs");
  const bool is_view = attributes != nullptr &&
                       TvmText(TvmMember(*attributes, "func_name")) == "__nop";
  for (const TvmJson& input : *inputs) {
    const StatusOr<size_t> read = EntryOf(input, node, place);
    if (!read.ok()) return read.status();
    TvmEntry& owner = entries_[entries_[*read].owner];
    owner.last = node;
    owner.readers.push_back(node);
    // A reshape does not call a function; its output has the bytes of its
    // input.
    for (size_t entry = rows_[node]; is_view && entry < rows_[node + 1];
         ++entry) {
      if (entries_[entry].storage == owner.storage) {
        entries_[entry].owner = entries_[*read].owner;
      }
    }
  }
  return absl::OkStatus();
}

Status TvmGraph::Read() {
  Status status = FindLists();
  for (size_t entry = 0; status.ok() && entry < entries_.size(); ++entry) {
    status = ReadEntry(entry);
  }
  for (size_t node = 0; status.ok() && node < nodes_->size(); ++node) {
    status = ReadNode(node);
  }
  if (!status.ok()) return status;
  for (const TvmJson& head : *heads_) {
    const StatusOr<size_t> entry = EntryOf(head, nodes_->size(), "heads");
    if (!entry.ok()) return entry.status();
    // The program returns this entry, so the entry is live up to the end.
    entries_[entries_[*entry].owner].last = nodes_->size() - 1;
  }
  return absl::OkStatus();
}

std::string TvmGraph::Note(uint64_t device) const {
  size_t count = 0;
  uint64_t bytes = 0;
  for (const TvmEntry& entry : entries_) {
    if (!entry.is_argument || entry.device != device) continue;
    ++count;
    const uint64_t room = std::numeric_limits<uint64_t>::max() - bytes;
    bytes += std::min(entry.size, room);
  }
  return absl::StrCat("inputs and parameters, which have memory of their own: ",
                      count, " (", bytes, " bytes)");
}

std::vector<RecordingPart> TvmGraph::Parts() const {
  std::map<uint64_t, RecordingPart> parts;  // by device
  for (size_t i = 0; i < entries_.size(); ++i) {
    const TvmEntry& entry = entries_[i];
    if (entry.is_argument || entry.owner != i || entry.size == 0) continue;
    RecordingPart& part = parts[entry.device];
    ProblemSpec& problem = part.file.problem;
    problem.records.emplace_back(RoundedSize(entry.size, tensor_alignment_),
                                 entry.first, entry.last);
    problem.names.push_back(absl::StrCat(i));
    TensorInfo info = {entry.name, entry.type, entry.shape, entry.first,
                       entry.readers};
    info.consumers.erase(
        std::unique(info.consumers.begin(), info.consumers.end()),
        info.consumers.end());
    problem.labels.tensors.push_back(std::move(info));
    part.file.plan.objects.push_back(entry.storage);
  }
  std::vector<RecordingPart> list;
  for (auto& [device, part] : parts) {
    part.name = absl::StrCat("device ", device);
    part.file.note = Note(device);
    list.push_back(std::move(part));
  }
  return list;
}

// Ignores all values, since only the place of an error is of interest.
class TvmSyntax final : public JsonHandler {
 public:
  bool Open(bool /*is_object*/) override { return true; }
  bool Close() override { return true; }
  bool Key(string_view /*key*/) override { return true; }
  bool Scalar(const JsonScalar& /*value*/) override { return true; }
};

// Returns the error of a text that is not JSON, with its line.
Status TvmSyntaxError(string_view bytes, const std::string& name) {
  StringSource source(bytes);
  TvmSyntax syntax;
  Status status = ReadJsonEvents(&source, name, &syntax);
  if (!status.ok()) return status;
  return BadTvm(name, "is not JSON; expected the whole graph of TVM");
}

StatusOr<std::vector<RecordingPart>> ReadTvmGraph(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  if (bytes->size() > kMaxTvmBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(input->name(), ": a graph of TVM of ", bytes->size(),
                     " bytes; expected at most ", kMaxTvmBytes));
  }
  const TvmJson json =
      TvmJson::parse(bytes->begin(), bytes->end(), /*cb=*/nullptr,
                     /*allow_exceptions=*/false);
  if (json.is_discarded()) return TvmSyntaxError(*bytes, input->name());
  TvmGraph graph(json, options.tensor_alignment);
  const Status status = graph.Read();
  if (!status.ok()) return BadTvm(input->name(), status.message());
  std::vector<RecordingPart> parts = graph.Parts();
  if (parts.empty()) {
    return BadTvm(input->name(),
                  "has no result of an operator; expected one with bytes");
  }
  return parts;
}

// Returns whether a file begins with a JSON object that has "nodes" as its
// first key, followed by a list with a node as its first item. No other
// supported format begins like this.
bool IsTvmGraph(string_view start, const std::string& /*path*/) {
  for (const string_view token :
       {"{", "\"nodes\"", ":", "[", "{", "\"op\"", ":"}) {
    start = absl::StripLeadingAsciiWhitespace(start);
    if (!absl::StartsWith(start, token)) return false;
    start.remove_prefix(token.size());
  }
  return true;
}

}  // namespace

const RecordingFormat kTvmGraph = {
    {"tvm-graph", "a graph of the graph executor of TVM (JSON)", ""},
    IsTvmGraph,
    ReadTvmGraph,
};

}  // namespace stowage::recordings
