// SPDX-License-Identifier: Apache-2.0
// Reads JSON documents strictly: every value must have the requested type, no
// key may occur twice in an object, and unknown keys can be refused. The whole
// document is kept in memory. For problems, which may have millions of records,
// use src/io/parse_json.cc, which reads a stream.
#ifndef STOWAGE_SRC_JSON_DOCUMENT_H_
#define STOWAGE_SRC_JSON_DOCUMENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage::json {

// A JSON value. Objects keep their keys in the order of the document.
using Json = nlohmann::ordered_json;

// The reason why a text is not a valid document. Callers convert it to an error
// message.
struct Flaw {
  enum class Kind {
    kNone,
    // The byte at `position`, counted from 1, is the first byte that is not
    // JSON. If the text is truncated, `position` is one past the last byte.
    kSyntax,
    // An object contains `key` twice, so one of the two values would be
    // ignored.
    kRepeatedKey,
    // The text contains more values than the caller permits. Reading them might
    // exhaust the memory.
    kTooManyValues,
  };
  Kind kind = Kind::kNone;
  size_t position = 0;
  std::string key;
};

// Finds the first flaw of a text, in a separate pass because Json::parse does
// not report flaws.
class FlawFinder final : public nlohmann::json_sax<Json> {
 public:
  explicit FlawFinder(size_t max_values) : max_values_(max_values) {}

  const Flaw& flaw() const { return flaw_; }

  bool null() override { return Count(); }
  bool boolean(bool /*value*/) override { return Count(); }
  bool number_integer(number_integer_t /*value*/) override { return Count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Count(); }
  bool number_float(number_float_t /*value*/,
                    const string_t& /*text*/) override {
    return Count();
  }
  bool string(string_t& /*value*/) override { return Count(); }
  bool binary(binary_t& /*value*/) override { return Count(); }
  bool start_object(size_t /*count*/) override {
    keys_.emplace_back();
    return Count();
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(size_t /*count*/) override { return Count(); }
  bool end_array() override { return true; }
  bool key(string_t& key) override {
    if (keys_.back().insert(key).second) return true;
    flaw_ = {Flaw::Kind::kRepeatedKey, 0, key};
    return false;
  }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    flaw_ = {Flaw::Kind::kSyntax, position, ""};
    return false;
  }

 private:
  bool Count() {
    if (++values_ <= max_values_) return true;
    flaw_.kind = Flaw::Kind::kTooManyValues;
    return false;
  }

  size_t max_values_;
  size_t values_ = 0;
  std::vector<std::set<std::string>> keys_;  // has one set for each open object
  Flaw flaw_;
};

// Parses a text with at most `max_values` values, including objects and arrays.
// Returns the first flaw of the text. If there is none, sets `*document` to the
// parsed document.
inline Flaw ParseDocument(
    string_view text, Json* document,
    size_t max_values = std::numeric_limits<size_t>::max()) {
  FlawFinder finder(max_values);
  Json::sax_parse(text.begin(), text.end(), &finder);
  if (finder.flaw().kind == Flaw::Kind::kNone) {
    *document = Json::parse(text.begin(), text.end());
  }
  return finder.flaw();
}

// Each of these functions sets `*value` to the value of `json`, or returns
// false if `json` has a different type. A null leaves an optional value
// unchanged.
inline bool Get(const Json& json, std::string* value) {
  if (!json.is_string()) return false;
  *value = json.get<std::string>();
  return true;
}
inline bool Get(const Json& json, bool* value) {
  if (!json.is_boolean()) return false;
  *value = json.get<bool>();
  return true;
}
inline bool Get(const Json& json, size_t* value) {
  if (!json.is_number_unsigned()) return false;
  *value = json.get<size_t>();
  return true;
}
inline bool Get(const Json& json, int64_t* value) {
  if (!json.is_number_integer()) return false;
  *value = json.get<int64_t>();
  return true;
}
template <typename T>
bool Get(const Json& json, optional<T>* value) {
  return json.is_null() || Get(json, &value->emplace());
}
template <typename T>
bool Get(const Json& json, std::vector<T>* values) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [&](const Json& entry) {
           return Get(entry, &values->emplace_back());
         });
}

// Reads the keys of an object. Keeps the first error, after which all calls
// have no effect.
class ObjectReader {
 public:
  // Creates the error for a key that is missing or has an invalid value.
  // `expected` describes a valid value.
  using KeyError = std::function<Status(string_view key, bool is_missing,
                                        string_view expected)>;

  // `object` must outlive the reader.
  ObjectReader(const Json& object, KeyError error)
      : object_(object), error_(std::move(error)) {}

  const Status& status() const { return status_; }

  bool Has(const char* key) const { return object_.contains(key); }

  void Fail(string_view key, string_view expected) {
    if (!status_.ok()) return;
    status_ = error_(key, !object_.contains(std::string(key)), expected);
  }

  // Returns the value of a key, or null if the key is missing or an error
  // occurred before.
  const Json* Find(const char* key, string_view expected) {
    read_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) Fail(key, expected);
    return status_.ok() ? &*found : nullptr;
  }

  // Sets `*value` to the value of a key. `expected` describes the type of the
  // value for error messages.
  template <typename T>
  void Read(const char* key, string_view expected, T* value) {
    const Json* const found = Find(key, expected);
    if (found != nullptr && !Get(*found, value)) Fail(key, expected);
  }

  // Returns the first key that has not been read, or nullopt if there is none.
  optional<std::string> UnreadKey() const {
    for (const auto& member : object_.items()) {
      if (std::find(read_.begin(), read_.end(), member.key()) == read_.end()) {
        return member.key();
      }
    }
    return nullopt;
  }

 private:
  const Json& object_;
  KeyError error_;
  std::vector<std::string> read_;  // has the keys that were read
  Status status_;
};

}  // namespace stowage::json

#endif  // STOWAGE_SRC_JSON_DOCUMENT_H_
