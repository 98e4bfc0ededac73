// SPDX-License-Identifier: Apache-2.0
// Decodes the numbers and arguments of pickle opcodes.
#include "src/recordings/pickle_opcodes.h"

#include <cstddef>
#include <cstdint>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

uint64_t PickleNumber(string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<uint8_t>(bytes[i - 1]);
  }
  return number;
}

string_view PickleArgumentAt(string_view bytes, size_t at) {
  const PickleOpcode& opcode = PickleOpcodeAt(bytes, at);
  const string_view number = bytes.substr(at + 1, opcode.number_bytes);
  return opcode.is_counted
             ? bytes.substr(at + 1 + opcode.number_bytes, PickleNumber(number))
             : number;
}

optional<uint64_t> PickleUnsigned(const PickleOpcode& opcode,
                                  string_view argument) {
  // The highest bit is the sign in all opcodes except two.
  const bool has_sign = opcode.code != 'K' && opcode.code != 'M';
  if (has_sign && !argument.empty()) {
    if ((static_cast<uint8_t>(argument.back()) & 0x80) != 0) return nullopt;
    // An unsigned 64-bit number has a ninth byte for its sign.
    if (argument.size() == 9 && argument.back() == 0) argument.remove_suffix(1);
  }
  if (argument.size() > 8) return nullopt;
  return PickleNumber(argument);
}

}  // namespace stowage::recordings
