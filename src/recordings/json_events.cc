// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/json_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_iterator.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {
namespace {

constexpr size_t kJsonBufferBytes = size_t{1} << 16;

// Returns the bytes of a source one at a time.
class JsonByteStream {
 public:
  explicit JsonByteStream(ByteSource* source)
      : source_(source), buffer_(kJsonBufferBytes, '\0') {
    Fill();
  }

  bool AtEnd() const { return next_ == size_; }
  char Current() const { return buffer_[next_]; }
  void Advance() {
    if (++next_ == size_) Fill();
  }

  // Records that a value has ended, so the parser no longer stores its bytes.
  void EndToken() { token_begin_ = read_; }

  // Returns the line of the next byte, counted from 1. O(bytes of the buffer).
  size_t Line() const { return 1 + lines_before_ + LinesUpTo(next_); }
  size_t bytes_read() const { return read_; }
  bool has_long_token() const { return has_long_token_; }
  // Returns whether the parser mistook a NUL byte for the end of the text. Must
  // be called after the whole text has been parsed.
  bool HasNul() const { return !AtEnd() || last_byte_ == '\0'; }
  const absl::Status& status() const { return status_; }

 private:
  size_t LinesUpTo(size_t end) const {
    const char* const begin = buffer_.data();
    return static_cast<size_t>(std::count(begin, begin + end, '\n'));
  }

  void Fill() {
    lines_before_ += LinesUpTo(size_);
    next_ = 0;
    size_ = 0;
    // The parser stores the bytes of a token until the token ends. In a corrupt
    // text this may never happen, so the length of a token is limited.
    has_long_token_ = read_ - token_begin_ > kMaxJsonTokenBytes;
    if (has_long_token_) return;
    const StatusOr<size_t> count =
        source_->Read(MakeSpan(buffer_.data(), buffer_.size()));
    status_ = count.status();
    size_ = count.value_or(0);
    read_ += size_;
    if (size_ > 0) last_byte_ = buffer_[size_ - 1];
  }

  ByteSource* source_;
  std::string buffer_;
  size_t next_ = 0;
  size_t size_ = 0;
  size_t read_ = 0;
  char last_byte_ = ' ';
  size_t token_begin_ = 0;
  size_t lines_before_ = 0;
  bool has_long_token_ = false;
  absl::Status status_;
};

// Passes the values that the parser finds to the handler, and stores the first
// error.
class JsonForwarder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  JsonForwarder(JsonByteStream* stream, const std::string& name,
                JsonHandler* handler)
      : stream_(*stream), name_(name), handler_(*handler) {}

  absl::Status Finish(bool is_parsed) const;

  bool null() override { return Pass(JsonScalar()); }
  bool boolean(bool value) override {
    JsonScalar scalar;
    scalar.kind = JsonScalar::Kind::kBoolean;
    scalar.is_true = value;
    return Pass(scalar);
  }
  bool number_integer(number_integer_t value) override {
    return PassInteger(value < 0,
                       value < 0 ? uint64_t{0} - static_cast<uint64_t>(value)
                                 : static_cast<uint64_t>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return PassInteger(false, value);
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    JsonScalar scalar;
    scalar.kind = JsonScalar::Kind::kDecimal;
    scalar.text = text;
    return Pass(scalar);
  }
  bool string(string_t& value) override {
    JsonScalar scalar;
    scalar.kind = JsonScalar::Kind::kString;
    scalar.text = value;
    return Pass(scalar);
  }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(size_t /*count*/) override { return Open(true); }
  bool start_array(size_t /*count*/) override { return Open(false); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& key) override {
    stream_.EndToken();
    return handler_.Key(key);
  }
  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override;

 private:
  bool Pass(const JsonScalar& scalar) {
    stream_.EndToken();
    return handler_.Scalar(scalar);
  }
  bool PassInteger(bool is_negative, uint64_t magnitude) {
    JsonScalar scalar;
    scalar.kind = JsonScalar::Kind::kInteger;
    scalar.is_negative = is_negative;
    scalar.magnitude = magnitude;
    return Pass(scalar);
  }
  bool Open(bool is_object) {
    stream_.EndToken();
    if (++depth_ <= kMaxJsonDepth) return handler_.Open(is_object);
    return Fail(absl::StrCat("nests deeper than ", kMaxJsonDepth,
                             " objects and lists; expected a flatter text"));
  }
  bool Close() {
    stream_.EndToken();
    --depth_;
    return handler_.Close();
  }
  bool Fail(string_view message) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(name_, ":", stream_.Line(), ": ", message));
    return false;
  }

  JsonByteStream& stream_;
  const std::string& name_;
  JsonHandler& handler_;
  size_t depth_ = 0;
  absl::Status status_;
};

// Returns the representation of an invalid token in a message: the last bytes
// of the token.
std::string ShownToken(string_view token) {
  constexpr size_t kShownBytes = 40;
  if (token.size() <= kShownBytes) return Quoted(token);
  return Quoted(absl::StrCat("...", token.substr(token.size() - kShownBytes)));
}

bool JsonForwarder::parse_error(size_t position, const std::string& token,
                                const nlohmann::detail::exception& error) {
  // The id of the error for a number outside the range of 64-bit floating
  // point.
  constexpr int kNumberOverflow = 406;
  if (error.id == kNumberOverflow) {
    return Fail(
        absl::StrCat("the number ", ShownToken(token),
                     "; expected one that fits in 64-bit floating point"));
  }
  // The parser counts the end of the text as a byte. A position after the last
  // byte is therefore the end of the text.
  if (position > stream_.bytes_read()) {
    return Fail(absl::StrCat("ends too early, after ", stream_.bytes_read(),
                             " bytes; expected the rest of a JSON text"));
  }
  // A token that begins with a quote is a string up to its first invalid byte.
  if (absl::StartsWith(token, "\"") && !IsUtf8(token)) {
    return Fail(absl::StrCat("the string up to byte ", position,
                             " is not UTF-8: ", ShownToken(token),
                             "; expected JSON in UTF-8"));
  }
  return Fail(absl::StrCat("byte ", position, " is not JSON: ",
                           ShownToken(token), "; expected JSON"));
}

absl::Status JsonForwarder::Finish(bool is_parsed) const {
  // An error of the source already contains the name of the file.
  if (!stream_.status().ok()) return stream_.status();
  if (stream_.has_long_token()) {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ":", stream_.Line(), ": a value of more than ",
        kMaxJsonTokenBytes, " bytes; expected strings of at most this length"));
  }
  if (!status_.ok()) return status_;
  if (is_parsed && stream_.HasNul()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ":", stream_.Line(),
                     ": a NUL after the JSON text; expected its end"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadJsonEvents(ByteSource* source, const std::string& name,
                            JsonHandler* handler) {
  JsonByteStream stream(source);
  JsonForwarder forwarder(&stream, name, handler);
  const bool is_parsed =
      nlohmann::json::sax_parse(ByteIterator<JsonByteStream>(&stream),
                                ByteIterator<JsonByteStream>(), &forwarder);
  return forwarder.Finish(is_parsed);
}

}  // namespace stowage::recordings
