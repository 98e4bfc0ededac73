// SPDX-License-Identifier: Apache-2.0
// Tests the functions of src/base that replace functions of abseil. Like
// base_types_test.cc, this file is compiled once with abseil and once without.
// Every result is compared with the result of abseil, to ensure that texts and
// plans are the same in both builds.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/bits.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/base/ascii.h"
#include "src/base/bits.h"
#include "src/base/containers.h"
#include "src/base/int128.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "stowage/base/status.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

absl::string_view ToAbsl(string_view text) {
  return {text.data(), text.size()};
}

constexpr uint64_t kWords[] = {0,
                               1,
                               6,
                               255,
                               uint64_t{1} << 31,
                               uint64_t{1} << 32,
                               (uint64_t{1} << 63) + 4,
                               std::numeric_limits<uint64_t>::max()};

TEST(BaseStrCat, PrintsAsAbseilDoes) {
  const std::string text = "text";
  const string_view view = "view";
  EXPECT_EQ(StrCat(), "");
  EXPECT_EQ(StrCat(text, view, "literal", true, false), "textviewliteral10");
  for (const uint64_t word : kWords) {
    const auto number = static_cast<int64_t>(word);
    const auto half = static_cast<uint32_t>(word);
    EXPECT_EQ(StrCat(word, " ", number, " ", half, " ", uint8_t{7}),
              absl::StrCat(word, " ", number, " ", half, " ", uint8_t{7}));
    EXPECT_EQ(
        StrCat(Hex(word), " ", Hex(word, kZeroPad16), " ",
               Hex(word, kZeroPad2)),
        absl::StrCat(absl::Hex(word), " ", absl::Hex(word, absl::kZeroPad16),
                     " ", absl::Hex(word, absl::kZeroPad2)));
  }
  std::string appended = "a";
  for (int i = 0; i < 100; ++i) StrAppend(&appended, i, ",");
  EXPECT_EQ(appended.substr(0, 7), "a0,1,2,");
  EXPECT_EQ(appended.size(), 291u);
}

TEST(BaseStrJoin, PutsSeparatorsBetween) {
  EXPECT_EQ(StrJoin(std::vector<int>{}, ", "), "");
  EXPECT_EQ(StrJoin(std::vector<int>{1}, ", "), "1");
  EXPECT_EQ(StrJoin(Strings{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(StrJoin(std::vector<int>{1, 2}, "-",
                    [](std::string* out, int i) { StrAppend(out, i, i); }),
            "11-22");
}

TEST(BaseStrSplit, SplitsAsAbseilDoes) {
  for (const string_view text :
       {"", "a", "|", "a|b", "|a||b|", " a b\tc ", "a, ,b"}) {
    const std::vector<string_view> parts = StrSplit(text, '|');
    const std::vector<absl::string_view> expected =
        absl::StrSplit(ToAbsl(text), '|');
    EXPECT_EQ(Strings(parts.begin(), parts.end()),
              Strings(expected.begin(), expected.end()));
    const std::vector<string_view> words =
        StrSplit(text, ByAnyChar(" \t|"), SkipEmpty());
    const std::vector<absl::string_view> expected_words = absl::StrSplit(
        ToAbsl(text), absl::ByAnyChar(" \t|"), absl::SkipEmpty());
    EXPECT_EQ(Strings(words.begin(), words.end()),
              Strings(expected_words.begin(), expected_words.end()));
    const std::vector<string_view> cells =
        StrSplit(text, ByAnyChar(",|"), SkipWhitespace());
    const std::vector<absl::string_view> expected_cells = absl::StrSplit(
        ToAbsl(text), absl::ByAnyChar(",|"), absl::SkipWhitespace());
    EXPECT_EQ(Strings(cells.begin(), cells.end()),
              Strings(expected_cells.begin(), expected_cells.end()));
  }
}

TEST(BaseAscii, ParsesNumbersAsAbseilDoes) {
  for (const string_view text : {"",
                                 " ",
                                 "0",
                                 "00",
                                 "7",
                                 "+7",
                                 "-7",
                                 "-0",
                                 "+-7",
                                 "--7",
                                 " 7 ",
                                 "7 8",
                                 "7a",
                                 "0x7",
                                 "1e3",
                                 "+ 7",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "9223372036854775807",
                                 "9223372036854775808",
                                 "-9223372036854775808",
                                 "-9223372036854775809",
                                 "4294967295",
                                 "4294967296",
                                 "\t7\n"}) {
    const auto expect_equal = [&](auto zero) {
      auto number = zero;
      auto expected = zero;
      const bool is_number = absl::SimpleAtoi(ToAbsl(text), &expected);
      EXPECT_EQ(SimpleAtoi(text, &number), is_number) << text;
      if (is_number) {
        EXPECT_EQ(number, expected) << text;
      }
    };
    expect_equal(uint64_t{0});
    expect_equal(int64_t{0});
    expect_equal(uint32_t{0});
    expect_equal(int32_t{0});
  }
}

TEST(BaseAscii, ClassifiesAllBytesAsAbseilDoes) {
  for (int c = 0; c < 256; ++c) {
    const auto byte = static_cast<unsigned char>(c);
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(ascii_isdigit(byte), absl::ascii_isdigit(byte)) << c;
    EXPECT_EQ(ascii_isalnum(byte), absl::ascii_isalnum(byte)) << c;
    EXPECT_EQ(AsciiStrToLower(text), absl::AsciiStrToLower(text)) << c;
    const std::string around = text + "x y" + text;
    EXPECT_EQ(std::string(StripAsciiWhitespace(around)),
              std::string(absl::StripAsciiWhitespace(around)))
        << c;
  }
  EXPECT_EQ(StripAsciiWhitespace(" \t"), "");
}

TEST(BaseAscii, FindsAndReplacesParts) {
  for (const string_view text : {"", "a", "ab", "abab", "ba"}) {
    for (const string_view part : {"", "a", "ab", "aba", "c"}) {
      EXPECT_EQ(StartsWith(text, part),
                absl::StartsWith(ToAbsl(text), ToAbsl(part)));
      EXPECT_EQ(EndsWith(text, part),
                absl::EndsWith(ToAbsl(text), ToAbsl(part)));
      EXPECT_EQ(StrContains(text, part),
                absl::StrContains(ToAbsl(text), ToAbsl(part)));
      string_view rest = text;
      absl::string_view expected = ToAbsl(text);
      EXPECT_EQ(ConsumePrefix(&rest, part),
                absl::ConsumePrefix(&expected, ToAbsl(part)));
      EXPECT_EQ(ToAbsl(rest), expected);
    }
    EXPECT_EQ(StrReplaceAll(text, {{"a", "xa"}, {"b", ""}}),
              absl::StrReplaceAll(ToAbsl(text), {{"a", "xa"}, {"b", ""}}));
  }
}

TEST(BaseText, QuotesEveryByteAsAbseilEscapesIt) {
  for (int c = 0; c < 256; ++c) {
    const std::string text(1, static_cast<char>(c));
    EXPECT_EQ(Quoted(text), absl::StrCat("\"", absl::CEscape(text), "\"")) << c;
  }
  EXPECT_EQ(Quoted("caf\xC3\xA9\n"), "\"caf\xC3\xA9\\n\"");
  EXPECT_EQ(Quoted("\xC3\n"), R"("\303\n")");
  EXPECT_EQ(OneLine("a\x7f"), "a\\x7f");
  EXPECT_EQ(FileText("\x01"), "\\x01");
}

TEST(BaseStatusCodes, OfErrnoAreThoseOfAbseil) {
  for (const int error :
       {0,      EPERM,  ENOENT,  EIO,       EBADF,     EAGAIN, ENOMEM,
        EACCES, EBUSY,  EEXIST,  ENODEV,    ENOTDIR,   EISDIR, EINVAL,
        ENFILE, EMFILE, ENOTTY,  ETXTBSY,   EFBIG,     ENOSPC, ESPIPE,
        EROFS,  EMLINK, EPIPE,   EDEADLK,   ENOLCK,    ENOSYS, ENAMETOOLONG,
        E2BIG,  ENXIO,  EILSEQ,  EOVERFLOW, ETIMEDOUT, ESTALE, ENOTEMPTY,
        EINTR,  EXDEV,  ENOTSUP, ECANCELED, EDQUOT,    ELOOP}) {
    const Status status = ErrnoToStatus(error, "m");
    const absl::Status expected = absl::ErrnoToStatus(error, "m");
    EXPECT_EQ(static_cast<int>(status.code()),
              static_cast<int>(expected.code()))
        << expected;
    EXPECT_EQ(ToAbsl(status.message()), expected.message());
  }
}

TEST(BaseBits, AreCountedAsAbseilDoes) {
  for (const uint64_t word : kWords) {
    EXPECT_EQ(countl_zero(word), absl::countl_zero(word)) << word;
    EXPECT_EQ(countr_zero(word), absl::countr_zero(word)) << word;
    EXPECT_EQ(popcount(word), absl::popcount(word)) << word;
  }
}

TEST(BaseInt128, MultipliesAndDividesAsAbseilDoes) {
  EXPECT_EQ(Uint128High64(Uint128Max()), std::numeric_limits<uint64_t>::max());
  for (const uint64_t a : kWords) {
    for (const uint64_t b : kWords) {
      const uint128 product = uint128{a} * b;
      const absl::uint128 expected = absl::uint128(a) * b;
      EXPECT_EQ(Uint128High64(product), absl::Uint128High64(expected));
      EXPECT_EQ(Uint128Low64(product), absl::Uint128Low64(expected));
      if (b == 0) continue;
      const int128 quotient = (int128{5} - int128(a)) * 3 / int128(b);
      const absl::int128 expected_quotient =
          (absl::int128(5) - absl::int128(a)) * 3 / absl::int128(b);
      EXPECT_EQ(static_cast<int64_t>(quotient),
                static_cast<int64_t>(expected_quotient));
    }
  }
}

TEST(BaseContainers, FindEveryKindOfKey) {
  flat_hash_map<std::string, int> by_name = {{"a", 1}, {"b", 2}};
  EXPECT_EQ(by_name.at("b"), 2);
  flat_hash_set<std::vector<uint64_t>> seen;
  EXPECT_TRUE(seen.insert({1, 2}).second);
  EXPECT_TRUE(seen.insert({2, 1}).second);
  EXPECT_FALSE(seen.insert({1, 2}).second);
  flat_hash_map<uint2, int> by_size;
  by_size[uint2{3, 4}] = 5;
  EXPECT_EQ(by_size.count(uint2{4, 3}), 0u);
  EXPECT_EQ(by_size.count(uint2{3, 4}), 1u);
  flat_hash_map<BHWC, int> by_shape;
  by_shape[BHWC{1, 2, 3, 4}] = 5;
  EXPECT_EQ(by_shape.count(BHWC{1, 2, 4, 3}), 0u);
  btree_map<std::string, int> ordered = {{"b", 2}, {"a", 1}};
  EXPECT_EQ(ordered.begin()->first, "a");
  EXPECT_TRUE(ordered.find(string_view("c")) == ordered.end());
  EXPECT_EQ(ordered.find(string_view("b"))->second, 2);
  EXPECT_THAT(btree_set<int>({3, 1, 2}), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace stowage
