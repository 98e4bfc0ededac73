// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a binary Protocol Buffers message one by one, without a
// schema and without copies. The caller skips the fields that it does not know,
// so little code suffices to read a few fields of a large format.
//
//   WireReader fields(message);
//   while (fields.Next()) {
//     if (fields.field() == 7) graph = fields.bytes();
//   }
//   if (!fields.ok()) ...  // the message ends within a field, or is no message
//
// A repeated field occurs in the message once for each of its values. If the
// values are numbers, a single field may instead hold several values as a
// packed list; AppendVarints reads both forms.
#ifndef STOWAGE_IO_WIRE_READER_H_
#define STOWAGE_IO_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage {

// Removes a varint from the start of `message` and returns its value. Returns
// nullopt if the message ends within the varint, or if the value has more than
// 64 bits.
optional<uint64_t> TakeVarint(string_view* message);

class WireReader {
 public:
  // The encodings of values. Protocol Buffers also have groups, which are
  // obsolete; this reader reports a group as an error.
  enum class Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // `message` must outlive the reader and all bytes that the reader returns.
  explicit WireReader(string_view message)
      : size_(message.size()), rest_(message) {}

  // Moves to the next field. Returns false if there is no next field, or if the
  // bytes are not a message (`ok`).
  bool Next();

  // Returns false if a call of Next found that the bytes are not a message.
  bool ok() const { return is_ok_; }

  // Returns the position in the message of the field that the last call of Next
  // has read, or tried to read.
  size_t position() const { return position_; }

  // These functions describe the current field. `value` returns the numeric
  // value of a field of any type except kBytes. `bytes` returns the content of
  // a field of type kBytes.
  uint64_t field() const { return field_; }
  Type type() const { return type_; }
  uint64_t value() const { return value_; }
  string_view bytes() const { return bytes_; }

 private:
  bool Fail();
  bool TakeFixed(size_t count);

  size_t size_;
  string_view rest_;
  size_t position_ = 0;
  bool is_ok_ = true;
  uint64_t field_ = 0;
  Type type_ = Type::kVarint;
  uint64_t value_ = 0;
  string_view bytes_;
};

// Appends the values of the current field of a repeated field of varints:
// either one value, or all values of a packed list. Returns false if the
// current field has neither of these two forms. O(bytes).
bool AppendVarints(const WireReader& field, std::vector<uint64_t>* values);

}  // namespace stowage

#endif  // STOWAGE_IO_WIRE_READER_H_
