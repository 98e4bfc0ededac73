// SPDX-License-Identifier: Apache-2.0
#include "src/io/other_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage {
namespace {

using absl::string_view;

// A text at the start of all files of a format.
struct Start {
  string_view bytes;
  string_view format;
};
constexpr string_view kZip =
    "a ZIP archive, as .task bundles, .keras and .pt files are";
constexpr Start kStarts[] = {
    {"PK\x03\x04", kZip},
    {"PK\x05\x06", kZip},
    {"\x1F\x8B", "compressed by gzip"},
    {"\x28\xB5\x2F\xFD", "compressed by zstd"},
    {"\xFD\x37zXZ", "compressed by xz"},
    {"LITERTLM", "a LiteRT-LM model (.litertlm)"},
    {"\x89HDF", "an HDF5 file, as Keras writes"},
    {"\x93NUMPY", "a NumPy array (.npy)"},
    {"ML\xEFR", "MLIR bytecode"},
    {"<!DOCTYPE", "a web page"},
    {"<!doctype", "a web page"},
    {"<html", "a web page"},
    {"<?xml", "an XML file"},
    {"version https://git-lfs", "a Git LFS pointer in place of a file"},
    {"\xFF\xFE", "text in UTF-16, not UTF-8"},
    {"\xFE\xFF", "text in UTF-16, not UTF-8"},
};

// FlatBuffers have an identifier in bytes 4 to 7; '#' is any digit.
constexpr Start kIdentifiers[] = {
    {"ET##", "an ExecuTorch program (.pte)"},
    {"BP##", "a bundled program of ExecuTorch (.bpte)"},
    {"CIR#", "a Circle model (.circle)"},
    {"ORTM", "a model of ONNX Runtime (.ort)"},
};

uint8_t Byte(string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// Returns whether one of the `count` bytes from `begin` on is NUL. Text has no
// NUL, so a file with one is binary.
bool HasNul(string_view start, size_t begin, size_t count) {
  return absl::StrContains(start.substr(std::min(begin, start.size()), count),
                           '\0');
}

bool IsIdentifier(string_view text, string_view pattern) {
  return std::equal(
      text.begin(), text.end(), pattern.begin(), pattern.end(),
      [](char c, char p) {
        return p == '#' ? absl::ascii_isdigit(static_cast<uint8_t>(c)) : c == p;
      });
}

// Returns the format of a FlatBuffer, or an empty string. A FlatBuffer starts
// with the offset of its root table, whose high bytes are 0.
string_view FlatbufferFormat(string_view start) {
  if (start.size() < 8 || !HasNul(start, 0, 4)) return "";
  for (const Start& known : kIdentifiers) {
    if (IsIdentifier(start.substr(4, 4), known.bytes)) return known.format;
  }
  return "";
}

// Returns whether the file is a GGUF file. Such a file starts with "GGUF" and a
// version of four bytes, some of which are 0.
bool IsGguf(string_view start) {
  return absl::StartsWith(start, "GGUF") &&
         (start.size() == 4 || HasNul(start, 4, 4));
}

// Returns whether the file is a pickle of protocol 2 to 5. Files of lower
// protocols are text and have no recognizable start.
bool IsPickle(string_view start) {
  return start.size() >= 2 && Byte(start, 0) == 0x80 && Byte(start, 1) >= 2 &&
         Byte(start, 1) <= 5;
}

// Returns whether the file is a safetensors file. Such a file starts with the
// length of a JSON header in eight bytes, followed by the header.
bool IsSafetensors(string_view start) {
  return start.size() > 8 && start[8] == '{' && HasNul(start, 4, 4);
}

// Removes a number from the start of a message of protocol buffers and returns
// it. Returns nullopt if the message ends within the number.
absl::optional<uint64_t> TakeVarint(string_view* message) {
  uint64_t number = 0;
  for (size_t i = 0; i < std::min<size_t>(message->size(), 10); ++i) {
    number |= static_cast<uint64_t>(Byte(*message, i) & 0x7F) << (7 * i);
    if (Byte(*message, i) < 0x80) {
      message->remove_prefix(i + 1);
      return number;
    }
  }
  return absl::nullopt;
}

// Field numbers in the ModelProto of ONNX.
constexpr uint64_t kNumbers[] = {1, 5};   // ir_version, model_version
constexpr uint64_t kNames[] = {2, 3, 4};  // producer, its version, domain
constexpr uint64_t kOthers[] = {6, 7, 8, 14, 20, 25, 26};  // with a length

template <size_t kCount>
bool IsOneOf(uint64_t field, const uint64_t (&fields)[kCount]) {
  return std::find(fields, fields + kCount, field) != fields + kCount;
}

bool IsPrintable(string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<uint8_t>(c) >= 0x20 && c != 0x7F;
  });
}

// Returns whether the file is an ONNX model, which is a message of protocol
// buffers without an identifier. Other models are such messages as well. An
// ONNX model differs from them: its first field is the version of the format,
// which is small, and the field of the name of the producer holds text. The
// first byte of the message is 8, with which no text starts.
bool IsOnnx(string_view start) {
  constexpr uint64_t kMostVersion = 20;
  constexpr uint64_t kNumberType = 0;
  constexpr uint64_t kLengthType = 2;
  if (!absl::StartsWith(start, "\x08")) return false;
  start.remove_prefix(1);
  const absl::optional<uint64_t> version = TakeVarint(&start);
  if (!version || *version == 0 || *version > kMostVersion) return false;
  for (size_t fields = 1; !start.empty(); ++fields) {
    const absl::optional<uint64_t> tag = TakeVarint(&start);
    const absl::optional<uint64_t> number =
        tag ? TakeVarint(&start) : absl::nullopt;
    // `start` may end anywhere within the message.
    if (!number) return fields > 1;
    const uint64_t field = *tag >> 3;
    if ((*tag & 7) == kNumberType) {
      if (!IsOneOf(field, kNumbers)) return false;
      continue;
    }
    const bool is_name = IsOneOf(field, kNames);
    if ((*tag & 7) != kLengthType || (!is_name && !IsOneOf(field, kOthers))) {
      return false;
    }
    const string_view value = start.substr(0, *number);
    if (is_name && !IsPrintable(value)) return false;
    if (*number >= start.size()) return true;
    start.remove_prefix(value.size());
  }
  return false;
}

}  // namespace

string_view OtherFormat(string_view start) {
  for (const Start& known : kStarts) {
    if (absl::StartsWith(start, known.bytes)) return known.format;
  }
  if (const string_view format = FlatbufferFormat(start); !format.empty()) {
    return format;
  }
  if (IsGguf(start)) return "a GGUF model";
  if (IsPickle(start)) return "a Python pickle, as older .pt files are";
  if (IsSafetensors(start)) return "a file of safetensors";
  if (IsOnnx(start)) return "an ONNX model";
  return "";
}

absl::Status CheckFormat(string_view start, string_view name) {
  const string_view format = OtherFormat(start);
  if (format.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": it is ", format,
                   "; stowage reads traces (CSV), problems (JSON) and models "
                   "of TensorFlow Lite (.tflite)"));
}

}  // namespace stowage
