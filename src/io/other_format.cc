// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/other_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/io/proto_format.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {
namespace {

// The bytes at the start of all files of a format.
struct Start {
  string_view bytes;
  string_view format;
};
constexpr string_view kZip =
    "a ZIP archive, as .task bundles, .keras, .npz and .pt files are";
constexpr Start kStarts[] = {
    {"PK\x03\x04", kZip},
    {"PK\x05\x06", kZip},
    {"\x1F\x8B", "compressed by gzip"},
    {"\x28\xB5\x2F\xFD", "compressed by zstd"},
    {"\xFD\x37zXZ", "compressed by xz"},
    {"\x04\x22\x4D\x18", "compressed by lz4"},
    {"7z\xBC\xAF\x27\x1C", "a 7z archive"},
    {"\x7F\x45LF", "a program or library (ELF)"},
    {"\x89PNG", "a picture (PNG)"},
    {"\xFF\xD8\xFF", "a picture (JPEG)"},
    {"%PDF-1.", "a PDF document"},
    {"%PDF-2.", "a PDF document"},
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

// The instruction in a pickle of protocol 1 that stores the first object.
constexpr string_view kFirstMemo("q\0", 2);

// The identifiers of FlatBuffers, which are in bytes 4 to 7. '#' matches any
// digit.
constexpr Start kIdentifiers[] = {
    {"ET##", "an ExecuTorch program (.pte)"},
    {"BP##", "a bundled program of ExecuTorch (.bpte)"},
    {"CIR#", "a Circle model (.circle)"},
    {"ORTM", "a model of ONNX Runtime (.ort)"},
};

uint8_t Byte(string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// Returns whether one of the `count` bytes from `begin` on is NUL. A file that
// contains a NUL is binary, because text contains none.
bool HasNul(string_view start, size_t begin, size_t count) {
  return StrContains(start.substr(std::min(begin, start.size()), count), '\0');
}

bool IsIdentifier(string_view text, string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(),
                    [](char c, char p) {
                      return p == '#' ? ascii_isdigit(static_cast<uint8_t>(c))
                                      : c == p;
                    });
}

// Returns the format of a FlatBuffer, or an empty string for any other file. A
// FlatBuffer starts with the offset of its root table, and the high bytes of
// this offset are 0.
string_view FlatbufferFormat(string_view start) {
  if (start.size() < 8 || !HasNul(start, 0, 4)) return "";
  for (const Start& known : kIdentifiers) {
    if (IsIdentifier(start.substr(4, 4), known.bytes)) return known.format;
  }
  return "";
}

// Returns whether the file is compressed by bzip2. Such a file starts with
// "BZh", a digit for the size of blocks, and the marker of the first block.
bool IsBzip2(string_view start) {
  return ConsumePrefix(&start, "BZh") && !start.empty() && start[0] >= '1' &&
         start[0] <= '9' && StartsWith(start.substr(1), "1AY&SY");
}

// Returns whether the file is a GGUF file. Such a file starts with "GGUF" and a
// version of four bytes, at least one of which is 0.
bool IsGguf(string_view start) {
  return StartsWith(start, "GGUF") &&
         (start.size() == 4 || HasNul(start, 4, 4));
}

// Returns whether a line is a Python name, which may contain dots.
bool IsPythonName(string_view line) {
  return !line.empty() && std::all_of(line.begin(), line.end(), [](char c) {
    return ascii_isalnum(static_cast<uint8_t>(c)) || c == '_' || c == '.';
  });
}

// Returns whether the file is a pickle of protocol 0, which is text. A pickled
// dictionary begins with "(dp" and a number, and a pickled list with "(lp" and
// a number. A pickled object begins with "c" and the module of its class,
// followed by the name of the class on the second line. No trace starts like
// this, because the first line of a trace contains a separator.
bool IsTextPickle(string_view start) {
  const size_t end = start.find('\n');
  if (end == string_view::npos) return false;
  string_view line = start.substr(0, end);
  string_view rest = start.substr(end + 1);
  if (ConsumePrefix(&line, "(dp") || ConsumePrefix(&line, "(lp")) {
    return line == "0" || line == "1";
  }
  const size_t name_end = rest.find('\n');
  if (!ConsumePrefix(&line, "c") || name_end == string_view::npos) {
    return false;
  }
  const string_view name = rest.substr(0, name_end);
  rest.remove_prefix(name_end + 1);
  return IsPythonName(line) && IsPythonName(name) &&
         (StartsWith(rest, "p0\n") || StartsWith(rest, kFirstMemo));
}

// Returns whether the file is a pickle of protocol 0 to 5.
bool IsPickle(string_view start) {
  const bool has_protocol = start.size() >= 2 && Byte(start, 0) == 0x80 &&
                            Byte(start, 1) >= 2 && Byte(start, 1) <= 5;
  if (has_protocol || IsTextPickle(start)) return true;
  // A pickle of protocol 1 is recognized only if it is a list or a dictionary.
  return (ConsumePrefix(&start, "]") || ConsumePrefix(&start, "}")) &&
         StartsWith(start, kFirstMemo);
}

// Returns whether the file is a safetensors file, which starts with the length
// of a JSON header in eight bytes, followed by the header.
bool IsSafetensors(string_view start) {
  return start.size() > 8 && start[8] == '{' && HasNul(start, 4, 4);
}

// Returns whether the file is a tar archive. The first block of a tar archive
// starts with the name of a file and a NUL, and contains the text "ustar" at a
// fixed position.
bool IsTar(string_view start) {
  constexpr size_t kMagicAt = 257;
  return start.size() > kMagicAt &&
         StartsWith(start.substr(kMagicAt), "ustar") &&
         HasNul(start, 0, kMagicAt);
}

}  // namespace

string_view OtherFormat(string_view start) {
  if (StartsWith(start.substr(std::min<size_t>(start.size(), 4)), "TFL3")) {
    return "";
  }
  for (const Start& known : kStarts) {
    if (StartsWith(start, known.bytes)) return known.format;
  }
  if (const string_view format = FlatbufferFormat(start); !format.empty()) {
    return format;
  }
  if (IsGguf(start)) return "a GGUF model";
  if (IsBzip2(start)) return "compressed by bzip2";
  if (IsTar(start)) return "a tar archive";
  if (IsPickle(start)) return "a Python pickle, as older .pt files are";
  if (IsSafetensors(start)) return "a file of safetensors";
  return ProtoFormat(start);
}

Status CheckFormat(string_view start, string_view name) {
  const string_view format = OtherFormat(start);
  if (format.empty()) return OkStatus();
  return InvalidArgumentError(
      StrCat(name, ": it is ", format,
             "; stowage reads traces (CSV), problems (JSON) and models "
             "of TensorFlow Lite (.tflite)"));
}

}  // namespace stowage
