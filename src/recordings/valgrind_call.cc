// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/valgrind_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "src/recordings/line_source.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

using ValgrindKind = ValgrindCall::Kind;

// The arguments of a function and their meanings.
enum class ValgrindArguments {
  kSize,             // n; or size n, al a
  kCountSize,        // count, n
  kAddress,          // p, possibly followed by others
  kAddressSize,      // p, n
  kAddressCountSize  // p, count, n
};

struct ValgrindFunction {
  string_view name;
  ValgrindKind kind;
  ValgrindArguments arguments;
};

constexpr ValgrindFunction kValgrindFunctions[] = {
    {"malloc", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"valloc", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"pvalloc", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"memalign", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"aligned_alloc", ValgrindKind::kSilentAlloc, ValgrindArguments::kSize},
    {"posix_memalign", ValgrindKind::kSilentAlloc, ValgrindArguments::kSize},
    {"builtin_new", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"__builtin_new", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"__builtin_vec_new", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"calloc", ValgrindKind::kAlloc, ValgrindArguments::kCountSize},
    {"realloc", ValgrindKind::kRealloc, ValgrindArguments::kAddressSize},
    {"reallocf", ValgrindKind::kReallocTwice, ValgrindArguments::kAddressSize},
    {"reallocarray", ValgrindKind::kReallocTwice,
     ValgrindArguments::kAddressCountSize},
    {"free", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"cfree", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"free_sized", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"free_aligned_sized", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"builtin_delete", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"__builtin_delete", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"__builtin_vec_delete", ValgrindKind::kFree, ValgrindArguments::kAddress},
};

// The prefixes of the names of C++ operators, which have many names.
constexpr ValgrindFunction kValgrindOperators[] = {
    {"_Znw", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"_Zna", ValgrindKind::kAlloc, ValgrindArguments::kSize},
    {"_Zdl", ValgrindKind::kFree, ValgrindArguments::kAddress},
    {"_Zda", ValgrindKind::kFree, ValgrindArguments::kAddress},
};

const ValgrindFunction* FindValgrindFunction(string_view name) {
  const auto* const function = std::find_if(
      std::begin(kValgrindFunctions), std::end(kValgrindFunctions),
      [name](const ValgrindFunction& each) { return each.name == name; });
  if (function != std::end(kValgrindFunctions)) return function;
  const auto* const cpp_operator =
      std::find_if(std::begin(kValgrindOperators), std::end(kValgrindOperators),
                   [name](const ValgrindFunction& each) {
                     return absl::StartsWith(name, each.name);
                   });
  return cpp_operator != std::end(kValgrindOperators) ? cpp_operator : nullptr;
}

// Removes the prefix of macOS memory zone functions from a name.
bool ConsumeZone(string_view* name) {
  return absl::ConsumePrefix(name, "malloc_zone_") ||
         absl::ConsumePrefix(name, "zone_");
}

struct ValgrindNumbers {
  std::vector<uint64_t> plain;
  optional<uint64_t> size;
  optional<uint64_t> alignment;
};

optional<uint64_t> ParseValgrindNumber(string_view text) {
  return absl::StartsWith(text, "0x") ? ParseHexNumber(text)
                                      : ParseDecimalNumber(text);
}

// Parses arguments such as "0x4A43040,5000" and "al 64, size 4096".
optional<ValgrindNumbers> ParseValgrindNumbers(string_view arguments) {
  ValgrindNumbers numbers;
  for (string_view argument : absl::StrSplit(arguments, ',')) {
    argument = absl::StripAsciiWhitespace(argument);
    optional<uint64_t>* labeled = nullptr;
    if (absl::ConsumePrefix(&argument, "size ")) {
      labeled = &numbers.size;
    } else if (absl::ConsumePrefix(&argument, "al ") ||
               absl::ConsumePrefix(&argument, "alignment ")) {
      labeled = &numbers.alignment;
    }
    const optional<uint64_t> number = ParseValgrindNumber(argument);
    if (!number.has_value()) return nullopt;
    if (labeled != nullptr) {
      *labeled = number;
    } else {
      numbers.plain.push_back(*number);
    }
  }
  return numbers;
}

// Returns the alignment of a block, which is the requested alignment rounded up
// to a power of two.
uint64_t ValgrindAlignment(uint64_t alignment) {
  constexpr uint64_t kLargest = uint64_t{1} << 63;
  uint64_t power = 1;
  while (power < alignment && power < kLargest) power <<= 1;
  return power;
}

void SetProduct(uint64_t count, uint64_t size, ValgrindCall* call) {
  call->fails =
      size != 0 && count > std::numeric_limits<uint64_t>::max() / size;
  call->size = call->fails ? 0 : count * size;
}

// Sets the arguments of a call. Returns false if the numbers do not match the
// arguments of the function.
bool SetValgrindArguments(ValgrindArguments arguments,
                          const ValgrindNumbers& numbers, ValgrindCall* call) {
  const std::vector<uint64_t>& plain = numbers.plain;
  switch (arguments) {
    case ValgrindArguments::kSize:
      call->alignment = ValgrindAlignment(numbers.alignment.value_or(1));
      if (numbers.size.has_value() == !plain.empty()) return false;
      call->size = numbers.size.has_value() ? *numbers.size : plain[0];
      return true;
    case ValgrindArguments::kCountSize:
      if (plain.size() != 2) return false;
      SetProduct(plain[0], plain[1], call);
      return true;
    case ValgrindArguments::kAddress:
      if (plain.empty()) return false;
      call->address = plain[0];
      return true;
    case ValgrindArguments::kAddressSize:
      if (plain.size() != 2) return false;
      call->address = plain[0];
      call->size = plain[1];
      return true;
    case ValgrindArguments::kAddressCountSize:
      if (plain.size() != 3) return false;
      call->address = plain[0];
      SetProduct(plain[1], plain[2], call);
      return true;
  }
  return false;
}

// Removes the digits at the beginning of a text and returns them.
string_view TakeDigits(string_view* text) {
  const auto* const end =
      std::find_if_not(text->begin(), text->end(), [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c));
      });
  const string_view digits =
      text->substr(0, static_cast<size_t>(end - text->begin()));
  text->remove_prefix(digits.size());
  return digits;
}

// Removes a time such as "00:00:00:01.234 ", if there is one.
void ConsumeValgrindTime(string_view* text) {
  string_view rest = *text;
  for (const char separator : {':', ':', ':', '.', ' '}) {
    if (TakeDigits(&rest).empty() || rest.empty() || rest[0] != separator) {
      return;
    }
    rest.remove_prefix(1);
  }
  *text = rest;
}

bool IsNameCharacter(char c) {
  return c == '_' || absl::ascii_isalnum(static_cast<unsigned char>(c));
}

}  // namespace

optional<ValgrindMark> TakeValgrindMark(string_view* line) {
  string_view rest = *line;
  ValgrindMark mark;
  mark.is_debug = absl::ConsumePrefix(&rest, "--");
  if (!mark.is_debug && !absl::ConsumePrefix(&rest, "==")) return nullopt;
  ConsumeValgrindTime(&rest);
  const optional<uint64_t> process = ParseDecimalNumber(TakeDigits(&rest));
  if (!process.has_value() ||
      !absl::ConsumePrefix(&rest, mark.is_debug ? "-- " : "== ")) {
    return nullopt;
  }
  mark.process = *process;
  *line = rest;
  return mark;
}

string_view TakeValgrindCallText(string_view* text) {
  const auto* const name_end =
      std::find_if_not(text->begin(), text->end(), IsNameCharacter);
  if (name_end == text->begin() || name_end == text->end() ||
      *name_end != '(') {
    return "";
  }
  const size_t end = text->find(')');
  if (end == string_view::npos) return "";
  const string_view call = text->substr(0, end + 1);
  text->remove_prefix(call.size());
  return call;
}

bool IsValgrindAllocator(string_view call_text) {
  string_view name = call_text.substr(0, call_text.find('('));
  ConsumeZone(&name);
  return FindValgrindFunction(name) != nullptr;
}

optional<ValgrindCall> ParseValgrindCall(string_view call_text) {
  const size_t parenthesis = call_text.find('(');
  if (parenthesis == string_view::npos) return nullopt;
  string_view name = call_text.substr(0, parenthesis);
  string_view arguments = call_text.substr(parenthesis + 1);
  absl::ConsumeSuffix(&arguments, ")");
  const bool has_zone = ConsumeZone(&name);
  const ValgrindFunction* const function = FindValgrindFunction(name);
  if (function == nullptr) return ValgrindCall();
  optional<ValgrindNumbers> numbers = ParseValgrindNumbers(arguments);
  if (!numbers.has_value()) return nullopt;
  if (has_zone) {
    if (numbers->plain.empty()) return nullopt;
    numbers->plain.erase(numbers->plain.begin());
  }
  ValgrindCall call;
  call.kind = function->kind;
  if (!SetValgrindArguments(function->arguments, *numbers, &call)) {
    return nullopt;
  }
  return call;
}

optional<uint64_t> TakeValgrindResult(string_view* text) {
  string_view rest = *text;
  if (!absl::ConsumePrefix(&rest, " = ")) return nullopt;
  const auto* const end =
      std::find_if_not(rest.begin(), rest.end(), IsNameCharacter);
  const auto length = static_cast<size_t>(end - rest.begin());
  const optional<uint64_t> result = ParseValgrindNumber(rest.substr(0, length));
  if (result.has_value()) *text = rest.substr(length);
  return result;
}

}  // namespace stowage::recordings
