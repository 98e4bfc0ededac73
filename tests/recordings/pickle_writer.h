// SPDX-License-Identifier: Apache-2.0
// Writes pickles for tests. Each function returns the opcodes that push one
// value, so nested calls write nested values:
//
//   PickleFile(PickleDict({{"sizes", PickleList({PickleInt(1)})}}))
#ifndef STOWAGE_TESTS_RECORDINGS_PICKLE_WRITER_H_
#define STOWAGE_TESTS_RECORDINGS_PICKLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stowage::recordings {

// Returns the lowest `count` bytes of a number, least significant byte first.
inline std::string PickleBytes(uint64_t number, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(number >> 8 * i & 0xFF);
  }
  return bytes;
}

// Returns the opcodes of a number. The ninth byte, which is 0, keeps the number
// nonnegative.
inline std::string PickleInt(uint64_t number) {
  return "\x8A\x09" + PickleBytes(number, 8) + '\0';
}

inline std::string PickleText(const std::string& text) {
  return "X" + PickleBytes(text.size(), 4) + text;
}

inline std::string PickleList(const std::vector<std::string>& items) {
  std::string bytes = "](";
  for (const std::string& item : items) bytes += item;
  return bytes + "e";
}

inline std::string PickleDict(
    const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes = "}(";
  for (const auto& [key, value] : entries) bytes += PickleText(key) + value;
  return bytes + "u";
}

inline std::string PickleFile(const std::string& value) {
  return "\x80\x04" + value + ".";
}

}  // namespace stowage::recordings

#endif  // STOWAGE_TESTS_RECORDINGS_PICKLE_WRITER_H_
