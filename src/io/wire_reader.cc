// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/wire_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage {

optional<uint64_t> TakeVarint(string_view* message) {
  uint64_t number = 0;
  for (size_t i = 0; i < std::min<size_t>(message->size(), 10); ++i) {
    const auto byte = static_cast<uint8_t>((*message)[i]);
    if (i == 9 && byte > 1) return nullopt;
    number |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      message->remove_prefix(i + 1);
      return number;
    }
  }
  return nullopt;
}

bool WireReader::Fail() {
  is_ok_ = false;
  rest_ = {};
  return false;
}

bool WireReader::TakeFixed(size_t count) {
  if (rest_.size() < count) return Fail();
  value_ = 0;
  for (size_t i = 0; i < count; ++i) {
    value_ |= static_cast<uint64_t>(static_cast<uint8_t>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(count);
  return true;
}

bool WireReader::Next() {
  if (rest_.empty()) return false;
  position_ = size_ - rest_.size();
  const optional<uint64_t> tag = TakeVarint(&rest_);
  if (!tag || *tag < 8) return Fail();
  field_ = *tag >> 3;
  type_ = static_cast<Type>(*tag & 7);
  bytes_ = {};
  switch (type_) {
    case Type::kFixed64:
      return TakeFixed(8);
    case Type::kFixed32:
      return TakeFixed(4);
    case Type::kVarint:
    case Type::kBytes:
      break;
    default:
      return Fail();
  }
  const optional<uint64_t> value = TakeVarint(&rest_);
  if (!value) return Fail();
  value_ = *value;
  if (type_ == Type::kVarint) return true;
  if (value_ > rest_.size()) return Fail();
  bytes_ = rest_.substr(0, value_);
  rest_.remove_prefix(value_);
  return true;
}

bool AppendVarints(const WireReader& field, std::vector<uint64_t>* values) {
  if (field.type() == WireReader::Type::kVarint) {
    values->push_back(field.value());
    return true;
  }
  string_view rest = field.bytes();
  while (!rest.empty()) {
    const optional<uint64_t> value = TakeVarint(&rest);
    if (!value) return false;
    values->push_back(*value);
  }
  return field.type() == WireReader::Type::kBytes;
}

}  // namespace stowage
