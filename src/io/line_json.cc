// SPDX-License-Identifier: Apache-2.0
#include "src/io/line_json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_iterator.h"

namespace stowage {
namespace {

constexpr size_t kMaxValues = 10000000;  // about a gigabyte in memory
constexpr size_t kMaxDepth = 16;         // programs need seven

// Reads a text byte by byte, and counts its lines.
class LineCounter {
 public:
  explicit LineCounter(string_view text) : text_(text) {}

  bool AtEnd() const { return next_ == text_.size(); }
  char Current() const { return text_[next_]; }
  void Advance() {
    ends_line_ = Current() == '\n';
    if (ends_line_) ++line_;
    ++next_;
  }
  // Returns the line of the last value. `is_ahead` must be true if the parser
  // has read one byte past the value, as it does after a number.
  uint32_t Line(bool is_ahead) const {
    return ends_line_ && is_ahead ? line_ - 1 : line_;
  }
  bool HasNul() const {
    return text_.substr(0, next_).find('\0') != string_view::npos;
  }
  size_t size() const { return text_.size(); }

 private:
  string_view text_;
  size_t next_ = 0;
  uint32_t line_ = 1;
  bool ends_line_ = false;
};

// Builds the tree of values. `open_` contains the incomplete objects and lists,
// from the outermost to the innermost. An object or list is moved to its parent
// when it is complete.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const LineCounter* counter, string_view name, string_view what)
      : counter_(*counter), name_(name), what_(what) {}

  StatusOr<LineJson> Finish();

  bool null() override { return Fail("is null; expected a value"); }
  bool boolean(bool value) override {
    return Add(LineJson::Kind::kBoolean, value ? 1 : 0, "", false);
  }
  bool number_integer(number_integer_t value) override {
    is_ahead_ = true;
    return Fail(
        StrCat("is ", value, "; expected a whole number of at least 0"));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Add(LineJson::Kind::kNumber, value, "", true);
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    is_ahead_ = true;
    return Fail(StrCat("is ", text, "; expected a whole number below 2^64"));
  }
  bool string(string_t& value) override {
    return Add(LineJson::Kind::kText, 0, std::move(value), false);
  }
  bool binary(binary_t& /*value*/) override { return Fail("is binary"); }
  bool start_object(size_t /*count*/) override {
    return Open(LineJson::Kind::kObject);
  }
  bool start_array(size_t /*count*/) override {
    return Open(LineJson::Kind::kList);
  }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& key) override;
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  bool Fail(string_view message);
  bool Open(LineJson::Kind kind);
  bool Close();
  bool Add(LineJson::Kind kind, uint64_t number, std::string text,
           bool is_ahead);
  bool Place(LineJson value);
  std::string Path() const;

  const LineCounter& counter_;
  const string_view name_;
  const string_view what_;
  std::vector<LineJson> open_;
  LineJson document_;
  size_t values_ = 0;
  bool is_ahead_ = false;
  Status status_;
};

// Returns the path of the next value.
std::string TreeBuilder::Path() const {
  std::string path;
  for (const LineJson& value : open_) {
    if (value.kind == LineJson::Kind::kList) {
      StrAppend(&path, "[", value.entries.size(), "]");
    } else if (value.keys.size() > value.entries.size()) {
      StrAppend(&path, path.empty() ? "" : ".", OneLine(value.keys.back()));
    }
  }
  return path.empty() ? std::string(what_) : path;
}

bool TreeBuilder::Fail(string_view message) {
  status_ = InvalidArgumentError(StrCat(name_, ":", counter_.Line(is_ahead_),
                                        ": ", Path(), ": ", message));
  return false;
}

bool TreeBuilder::Place(LineJson value) {
  if (open_.empty()) {
    document_ = std::move(value);
    return true;
  }
  open_.back().entries.push_back(std::move(value));
  return true;
}

bool TreeBuilder::Add(LineJson::Kind kind, uint64_t number, std::string text,
                      bool is_ahead) {
  is_ahead_ = is_ahead;
  if (open_.empty()) return Fail("expected an object");
  if (++values_ > kMaxValues) {
    status_ = ResourceExhaustedError(
        StrCat(name_, ":", counter_.Line(is_ahead), ": more than ", kMaxValues,
               " values; expected a smaller ", what_));
    return false;
  }
  LineJson value;
  value.kind = kind;
  value.line = counter_.Line(is_ahead);
  value.number = number;
  value.text = std::move(text);
  is_ahead_ = false;
  return Place(std::move(value));
}

bool TreeBuilder::Open(LineJson::Kind kind) {
  if (open_.empty() && kind != LineJson::Kind::kObject) {
    return Fail("is a list; expected an object");
  }
  if (open_.size() == kMaxDepth) {
    return Fail(StrCat("is nested in ", kMaxDepth,
                       " objects and lists; expected fewer"));
  }
  if (++values_ > kMaxValues) return Fail("too many values");
  LineJson value;
  value.kind = kind;
  value.line = counter_.Line(false);
  open_.push_back(std::move(value));
  return true;
}

bool TreeBuilder::Close() {
  LineJson value = std::move(open_.back());
  open_.pop_back();
  return Place(std::move(value));
}

bool TreeBuilder::key(string_t& key) {
  std::vector<std::string>& keys = open_.back().keys;
  if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
    return Fail(StrCat("key ", Quoted(key), " twice; expected it once"));
  }
  // The number of keys is limited, because each key is compared with all
  // earlier keys of its object. An object usually has at most a dozen keys.
  constexpr size_t kMaxKeys = 64;
  if (keys.size() == kMaxKeys) {
    return Fail(StrCat("more than ", kMaxKeys, " keys; expected fewer"));
  }
  keys.push_back(std::move(key));
  return true;
}

bool TreeBuilder::parse_error(size_t position, const std::string& token,
                              const nlohmann::detail::exception& error) {
  constexpr int kNumberOverflow = 406;  // a number beyond all floating point
  if (error.id == kNumberOverflow) {
    is_ahead_ = true;
    return Fail(StrCat("is ", token, "; expected a whole number below 2^64"));
  }
  if (position > counter_.size()) {
    return Fail(StrCat("it ends too early; expected the rest of a ", what_,
                       " in JSON"));
  }
  return Fail(StrCat("not JSON at byte ", position, "; expected a ", what_,
                     " in JSON"));
}

StatusOr<LineJson> TreeBuilder::Finish() {
  if (status_.ok() && counter_.HasNul()) {
    Fail(StrCat("a NUL after the ", what_, "; expected its end"));
  }
  if (!status_.ok()) return status_;
  return std::move(document_);
}

}  // namespace

const LineJson* LineJson::Find(string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &entries[i];
  }
  return nullptr;
}

string_view ExpectedKind(LineJson::Kind kind) {
  switch (kind) {
    case LineJson::Kind::kObject:
      return "an object";
    case LineJson::Kind::kList:
      return "a list";
    case LineJson::Kind::kText:
      return "a string";
    case LineJson::Kind::kNumber:
      return "a number";
    case LineJson::Kind::kBoolean:
      return "true or false";
  }
  return "?";
}

std::string ShownValue(const LineJson& value) {
  switch (value.kind) {
    case LineJson::Kind::kText:
      return Quoted(value.text);
    case LineJson::Kind::kNumber:
      return StrCat(value.number);
    case LineJson::Kind::kBoolean:
      return value.number != 0 ? "true" : "false";
    default:
      return std::string(ExpectedKind(value.kind));
  }
}

std::string JsonPath::ToString() const {
  if (parent_ == nullptr) return "";
  std::string path = parent_->ToString();
  if (is_entry_) return StrCat(path, "[", index_, "]");
  return StrCat(path, path.empty() ? "" : ".", key_);
}

StatusOr<LineJson> ParseLineJson(string_view json, string_view name,
                                 string_view what) {
  LineCounter counter(json);
  TreeBuilder builder(&counter, name, what);
  nlohmann::json::sax_parse(ByteIterator<LineCounter>(&counter),
                            ByteIterator<LineCounter>(), &builder);
  return builder.Finish();
}

bool HasOutermostKey(string_view start, Span<const string_view> keys) {
  ConsumePrefix(&start, "\xEF\xBB\xBF");
  size_t depth = 0;
  bool is_key = false;  // says if the last string at depth 1 is in `keys`
  for (size_t i = 0; i < start.size(); ++i) {
    const char c = start[i];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if (depth == 0 && c != '{') return false;
    if (c == ':' && is_key) return true;
    is_key = false;
    if (c == '"') {
      const size_t begin = i + 1;
      for (++i; i < start.size() && start[i] != '"'; ++i) {
        if (start[i] == '\\') ++i;
      }
      is_key = depth == 1 && i < start.size() &&
               std::find(keys.begin(), keys.end(),
                         start.substr(begin, i - begin)) != keys.end();
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return false;
    }
  }
  return false;
}

}  // namespace stowage
