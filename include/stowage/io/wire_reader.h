// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a binary Protocol Buffers message one after the other,
// without a schema and without copies. A caller simply ignores the fields that
// it does not know, so that reading a few fields of a large format takes little
// code.
//
//   WireReader fields(message);
//   while (fields.Next()) {
//     if (fields.field() == 7) graph = fields.bytes();
//   }
//   if (!fields.ok()) ...  // the message ends within a field, or is no message
//
// A repeated field occurs in the message once for each of its values. If the
// values are numbers, one field may instead hold several of them as a packed
// list; AppendVarints reads both forms.
#ifndef STOWAGE_IO_WIRE_READER_H_
#define STOWAGE_IO_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage {

// Removes a number from the start of `message` and returns the number. Returns
// nullopt if the message ends within the number, or if the number has more than
// 64 bits.
optional<uint64_t> TakeVarint(string_view* message);

class WireReader {
 public:
  // The ways in which values are encoded. Protocol Buffers also have groups,
  // which are obsolete; this reader treats a group as an error.
  enum class Type { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // The message must outlive the reader and all bytes that the reader returns.
  explicit WireReader(string_view message) : rest_(message) {}

  // Moves to the next field. Returns false at the end and after an error.
  bool Next();

  // Returns false if the bytes are not a message.
  bool ok() const { return is_ok_; }

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

  string_view rest_;
  bool is_ok_ = true;
  uint64_t field_ = 0;
  Type type_ = Type::kVarint;
  uint64_t value_ = 0;
  string_view bytes_;
};

// Appends the values of the current field, which belongs to a repeated field of
// varints: one value, or all values of a packed list. Returns false if the
// field has neither of these forms. O(bytes).
bool AppendVarints(const WireReader& field, std::vector<uint64_t>* values);

}  // namespace stowage

#endif  // STOWAGE_IO_WIRE_READER_H_
