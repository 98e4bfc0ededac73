// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/io/problem_builder.h"
#include "src/io/read_json.h"
#include "src/io/schema.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_iterator.h"
#include "stowage/io/byte_source.h"
#include "stowage/io/input_file.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace problem_file {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

// Reads the bytes of a source one at a time, and counts the lines.
class ByteStream {
 public:
  ByteStream(ByteSource* source, size_t max_bytes)
      : source_(source), max_bytes_(max_bytes), buffer_(kBufferBytes, '\0') {
    Fill();
  }

  bool AtEnd() const { return next_ == size_; }
  char Current() const { return buffer_[next_]; }
  void Advance() {
    const char byte = Current();
    if (byte == '\n') ++line_;
    if (byte == '\0') has_nul_ = true;
    ends_line_ = byte == '\n';
    if (++next_ == size_) Fill();
  }

  // Returns the line of the last value, counted from 1. `is_ahead` must be true
  // if the parser has read one byte past the value, as it does after a number.
  size_t Line(bool is_ahead) const {
    const bool is_next = ends_line_ && is_ahead;
    return is_next ? line_ - 1 : line_;
  }
  bool has_nul() const { return has_nul_; }
  size_t bytes_read() const { return read_; }
  // Returns the error of the source, or an error if the text is too long. After
  // either error, no further bytes are read.
  const Status& status() const { return status_; }

 private:
  void Fill() {
    next_ = 0;
    size_ = 0;
    if (read_ >= max_bytes_) {
      status_ = ResourceExhaustedError(StrCat(
          "too long; expected at most ", max_bytes_, " bytes of a problem"));
      return;
    }
    const StatusOr<size_t> count =
        source_->Read(MakeSpan(buffer_.data(), buffer_.size()));
    status_ = count.status();
    size_ = count.value_or(0);
    read_ += size_;
  }

  ByteSource* source_;
  size_t max_bytes_;
  std::string buffer_;
  size_t next_ = 0;
  size_t size_ = 0;
  size_t read_ = 0;
  size_t line_ = 1;
  bool ends_line_ = false;
  bool has_nul_ = false;
  Status status_;
};

// Checks each value of a document against the schema, and passes it to the
// builder if the schema allows it at its position.
class DocumentReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  DocumentReader(ByteStream* stream, string_view name)
      : stream_(*stream), name_(name) {}

  StatusOr<ProblemFile> Finish();

  bool null() override { return Refuse("null"); }
  bool boolean(bool value) override { return Refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return RefuseNumber(StrCat(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    is_ahead_ = true;
    const NodeInfo* const info = Next(NodeType::kNumber, StrCat(value));
    const bool goes_on =
        info != nullptr && Check(builder_.AddNumber(info->node, value));
    is_ahead_ = false;
    return goes_on;
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return RefuseNumber(text);
  }
  bool string(string_t& value) override {
    const NodeInfo* const info = Next(NodeType::kText, Quoted(value));
    if (info == nullptr) return false;
    // Only names of operators may be empty.
    const bool may_be_empty = info->node == Node::kOperator;
    if ((value.empty() && !may_be_empty) || StrContains(value, '\0')) {
      return Fail(
          StrCat("is ", Quoted(value), "; expected some text, without a NUL"));
    }
    return Check(builder_.AddText(info->node, value));
  }
  bool binary(binary_t& /*value*/) override { return Refuse("binary"); }
  bool start_object(size_t /*count*/) override {
    return Enter(NodeType::kObject, "an object");
  }
  bool start_array(size_t /*count*/) override {
    return Enter(NodeType::kList, "a list");
  }
  bool end_array() override { return Leave(); }
  bool end_object() override;
  bool key(string_t& key) override;
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  // An object or list that is not complete yet.
  struct Frame {
    Node node = Node::kProblem;
    size_t entries = 0;                 // the number of entries of a list
    NodeSet seen = 0;                   // the keys of an object
    const NodeInfo* current = nullptr;  // the key that is being read
  };

  // Returns the node of the next value. If the schema does not allow a value of
  // this type here, sets an error and returns null. `shown` is the value as
  // shown in messages.
  const NodeInfo* Next(NodeType type, string_view shown);
  bool Refuse(string_view shown);
  bool RefuseNumber(string_view shown);
  bool Enter(NodeType type, string_view shown);
  bool Leave();
  bool Check(const Status& status);
  bool Fail(string_view message) {
    return Check(InvalidArgumentError(message));
  }
  std::string Path() const;

  const ByteStream& stream_;
  std::string name_;
  ProblemBuilder builder_;
  std::vector<Frame> frames_;
  bool is_ahead_ = false;
  Status status_;
};

bool DocumentReader::Check(const Status& status) {
  if (status.ok()) return true;
  const std::string path = Path();
  status_ = Status(status.code(),
                   StrCat(name_, ":", stream_.Line(is_ahead_), ": ", path,
                          path.empty() ? "" : ": ", status.message()));
  return false;
}

// Returns the position of the current value, such as "records[3].size".
std::string DocumentReader::Path() const {
  if (frames_.empty()) return "problem";
  std::string path;
  for (const Frame& frame : frames_) {
    if (InfoOf(frame.node).type == NodeType::kList) {
      if (frame.entries > 0) {
        StrAppend(&path, "[", frame.entries - 1, "]");
      }
    } else if (frame.current != nullptr) {
      StrAppend(&path, path.empty() ? "" : ".", frame.current->key);
    }
  }
  return path;
}

const NodeInfo* DocumentReader::Next(NodeType type, string_view shown) {
  const NodeInfo* info = &InfoOf(Node::kProblem);
  if (!frames_.empty()) {
    Frame& frame = frames_.back();
    info = frame.current;
    if (InfoOf(frame.node).type == NodeType::kList) {
      info = &EntryOf(frame.node, frame.entries++);
    }
  }
  if (info->type == type) return info;
  Fail(StrCat("is ", shown, "; expected ", Expected(info->type)));
  return nullptr;
}

// Reports a value of a type that is not allowed anywhere in a problem.
bool DocumentReader::Refuse(string_view shown) {
  Next(NodeType::kNone, shown);
  return false;
}

bool DocumentReader::RefuseNumber(string_view shown) {
  is_ahead_ = true;
  return Refuse(shown);
}

bool DocumentReader::Enter(NodeType type, string_view shown) {
  const NodeInfo* const info = Next(type, shown);
  if (info == nullptr) return false;
  builder_.Begin(info->node);
  frames_.emplace_back();
  frames_.back().node = info->node;
  return true;
}

bool DocumentReader::Leave() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  return Check(builder_.End(frame.node, frame.seen));
}

bool DocumentReader::end_object() {
  Frame& frame = frames_.back();
  frame.current = nullptr;
  const NodeInfo* const missing = FindMissing(frame.node, frame.seen);
  if (missing == nullptr) return Leave();
  return Fail(
      StrCat("no ", missing->key, "; expected ", Expected(missing->type)));
}

bool DocumentReader::key(string_t& key) {
  Frame& frame = frames_.back();
  frame.current = nullptr;
  const NodeInfo* const info = FindKey(frame.node, key);
  if (info == nullptr) {
    return Fail(
        StrCat("unknown key ", Quoted(key), "; expected ", KeysOf(frame.node)));
  }
  if (Has(frame.seen, info->node)) {
    return Fail(StrCat("key ", Quoted(key), " twice; expected it once"));
  }
  frame.seen |= BitOf(info->node);
  frame.current = info;
  return true;
}

bool DocumentReader::parse_error(size_t position, const std::string& token,
                                 const nlohmann::detail::exception& error) {
  constexpr int kNumberOverflow = 406;  // a number beyond all floating point
  if (error.id == kNumberOverflow) return RefuseNumber(token);
  // The parser counts the end of the text as one byte, so a position beyond all
  // bytes means that it has reached the end.
  if (position > stream_.bytes_read()) {
    return Fail("it ends too early; expected the rest of a problem in JSON");
  }
  return Fail(
      StrCat("not JSON at byte ", position, "; expected a problem in JSON"));
}

StatusOr<ProblemFile> DocumentReader::Finish() {
  if (!stream_.status().ok()) {
    // An error of the source already contains the name of the file. The error
    // for a text that is too long does not, so the name is added.
    return IsResourceExhausted(stream_.status())
               ? ResourceExhaustedError(
                     StrCat(name_, ": ", stream_.status().message()))
               : stream_.status();
  }
  if (!status_.ok()) return status_;
  if (stream_.has_nul()) {
    Fail("a NUL after the problem; expected its end");
    return status_;
  }
  StatusOr<ProblemFile> file = builder_.Build();
  if (file.ok()) return file;
  return Status(file.status().code(),
                StrCat(name_, ": ", file.status().message()));
}

}  // namespace

StatusOr<ProblemFile> ReadJson(ByteSource* json, string_view name,
                               size_t max_bytes) {
  ByteStream stream(json, max_bytes);
  DocumentReader reader(&stream, name);
  nlohmann::json::sax_parse(ByteIterator<ByteStream>(&stream),
                            ByteIterator<ByteStream>(), &reader);
  return reader.Finish();
}

bool IsProblem(string_view start) {
  ConsumePrefix(&start, "\xEF\xBB\xBF");
  constexpr string_view kSpace = " \t\r\n";
  const size_t first = start.find_first_not_of(kSpace);
  if (first == string_view::npos || start[first] != '{') return false;
  // A binary file may begin with these bytes by chance. In JSON, the first
  // character after the brace and any white space cannot be a control
  // character.
  start.remove_prefix(first + 1);
  const size_t next = start.find_first_not_of(kSpace);
  return next == string_view::npos ||
         static_cast<unsigned char>(start[next]) >= 0x20;
}

}  // namespace problem_file

StatusOr<ProblemFile> ParseProblemJson(string_view json, string_view name) {
  StringSource source(json);
  return problem_file::ReadJson(&source, name);
}

}  // namespace stowage
