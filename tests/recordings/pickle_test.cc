// SPDX-License-Identifier: Apache-2.0
// Tests which pickles are read. All others must be refused, such as pickles
// that run code or claim more bytes than they have.
#include "src/recordings/pickle.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/recordings/pickle_writer.h"
#include "tests/support/status_matchers.h"

namespace stowage::recordings {
namespace {

using testing::HasSubstr;

constexpr string_view kPickleTestKeys[] = {"a", "b"};

// Requires that `bytes` outlives the result.
StatusOr<Pickle> ReadTestPickle(const std::string& bytes) {
  static const std::string name = "data.pickle";
  return Pickle::Read(bytes, name, kPickleTestKeys);
}

// Returns a string of opcodes. A string literal could not hold them, because
// some bytes are NUL.
std::string PickleOpcodes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

std::string RepeatOpcodes(const std::string& text, size_t count) {
  std::string bytes;
  bytes.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) bytes += text;
  return bytes;
}

// Returns a value in Python notation, with lists up to a depth of `depth`.
std::string ShowPickle(const Pickle& pickle, PickleValue value, int depth = 2) {
  switch (value.kind()) {
    case PickleKind::kNone:
      return "None";
    case PickleKind::kBool:
      return value.payload() != 0 ? "True" : "False";
    case PickleKind::kInt: {
      const auto number = pickle.Unsigned(value);
      return number ? absl::StrCat(*number) : "other int";
    }
    case PickleKind::kFloat:
      return "float";
    case PickleKind::kText:
      return absl::StrCat("'", *pickle.Text(value), "'");
    case PickleKind::kBytes:
      return "bytes";
    case PickleKind::kTuple:
      return "tuple";
    case PickleKind::kList: {
      if (!pickle.IsWhole(value)) return "skipped";
      if (depth == 0) return "list";
      std::string text = "[";
      for (const PickleValue item : pickle.Items(value)) {
        absl::StrAppend(&text, text.size() > 1 ? ", " : "",
                        ShowPickle(pickle, item, depth - 1));
      }
      return text + "]";
    }
    default: {
      std::string text = "{";
      for (const string_view key : kPickleTestKeys) {
        const auto entry = pickle.Find(value, key);
        if (entry)
          absl::StrAppend(&text, key, ":", ShowPickle(pickle, *entry, 1));
      }
      return text + "}";
    }
  }
}

struct GoodPickleCase {
  const char* name;
  std::string value;  // opcodes
  const char* shown;
};

class GoodPickleTest : public testing::TestWithParam<GoodPickleCase> {};

TEST_P(GoodPickleTest, IsReadInEachProtocol) {
  for (const int protocol : {2, 3, 4, 5}) {
    const std::string whole =
        PickleOpcodes({0x80, protocol}) + GetParam().value + ".";
    const std::string bytes = whole + "rest";
    const auto pickle = ReadTestPickle(bytes);
    ASSERT_TRUE(pickle.ok()) << pickle.status();
    EXPECT_EQ(ShowPickle(*pickle, pickle->root()), GetParam().shown);
    EXPECT_EQ(pickle->size(), whole.size());
  }
}

std::vector<GoodPickleCase> GoodPickleCases() {
  return {
      {"None", "N", "None"},
      {"True", "\x88", "True"},
      {"False", "\x89", "False"},
      {"OneByte", "K\xFF", "255"},
      {"TwoBytes", "M\xFE\xFF", "65534"},
      {"FourBytes", "J\xFF\xFF\xFF\x7F", "2147483647"},
      {"Negative", "J\xFF\xFF\xFF\xFF", "other int"},
      {"Long", PickleOpcodes({0x8A, 6, 0, 0, 0, 0, 0, 0x7F}),
       "139637976727552"},
      {"LongOfNoBytes", PickleOpcodes({0x8A, 0}), "0"},
      {"LongOf56Bits", PickleInt((uint64_t{1} << 56) - 1), "72057594037927935"},
      {"LongOf64Bits", PickleInt(UINT64_MAX), "18446744073709551615"},
      {"LongOf65Bits", PickleOpcodes({0x8A, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1}),
       "other int"},
      {"Long4", PickleOpcodes({0x8B, 2, 0, 0, 0, 1, 2}), "513"},
      {"Float", "G????????", "float"},
      {"ShortText", PickleOpcodes({0x8C, 2}) + "hi", "'hi'"},
      {"Text", PickleText("hi"), "'hi'"},
      {"LongText", "\x8D" + PickleBytes(2, 8) + "hi", "'hi'"},
      {"Bytes", PickleOpcodes({'C', 2}) + "hi", "bytes"},
      {"LongBytes", "\x8E" + PickleBytes(2, 8) + "hi", "bytes"},
  };
}

std::vector<GoodPickleCase> GoodContainerCases() {
  return {
      {"EmptyTuple", ")", "tuple"},
      {"Tuples",
       "]("
       "N\x85"
       "NN\x86"
       "NNN\x87"
       "(NNNNt"
       "e",
       "[tuple, tuple, tuple, tuple]"},
      {"EmptyList", "]", "[]"},
      {"List", "](K\1K\2eK\3a", "[1, 2, 3]"},
      {"ListsThatGrowInTurn",
       PickleOpcodes({']', '(', ']', 'q', 0, ']', 'q', 1}) +
           PickleOpcodes({'h', 0, 'K', 1, 'a', '0', 'h', 1, 'K', 2, 'a', '0'}) +
           PickleOpcodes({'h', 0, 'K', 3, 'a', '0', 'e'}),
       "[[1, 3], [2]]"},
      {"Dictionary", PickleDict({{"a", "K\1"}, {"b", "K\2"}}), "{a:1b:2}"},
      {"DictionaryOfOneEntry", "}" + PickleText("a") + "Ns", "{a:None}"},
      {"LastEntryOfAKey", PickleDict({{"a", "K\1"}, {"a", "K\2"}}), "{a:2}"},
      {"OtherKeys", PickleDict({{"c", "K\1"}, {"b", "K\2"}}), "{b:2}"},
      {"KeysThatAreNoTexts", "}(K\1K\2)K\3NK\4u", "{}"},
      {"ListOfAnotherKey",
       "](" + PickleDict({{"c", "](K\1eq\1"}, {"a", "](K\2e"}}) + "h\1e",
       "[{a:[2]}, skipped]"},
      {"Memo", "](" + PickleText("hi") + "\x94" + PickleOpcodes({'h', 0}) + "e",
       "['hi', 'hi']"},
      {"LongMemo",
       "](" + PickleText("hi") + "r" + PickleBytes(3, 4) + "j" +
           PickleBytes(3, 4) + "e",
       "['hi', 'hi']"},
      {"ListInItself", "]\x94" + PickleOpcodes({'h', 0, 'a'}), "[[list]]"},
      {"Dup",
       "](K\1"
       "2e",
       "[1, 1]"},
      {"Pop",
       "](K\1K\2"
       "0e",
       "[1]"},
      {"PopMark",
       "](K\1(K\2K\3"
       "1e",
       "[1]"},
      {"PopOfAMark", "](K\1(0e", "[1]"},
      {"Frame", "\x95" + PickleBytes(2, 8) + "K\1", "1"},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, GoodPickleTest,
                         testing::ValuesIn(GoodPickleCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

INSTANTIATE_TEST_SUITE_P(Containers, GoodPickleTest,
                         testing::ValuesIn(GoodContainerCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

struct RefusedOpcodeCase {
  const char* name;  // of the opcode
  int code;
  bool runs_code;
};

class RefusedOpcodeTest : public testing::TestWithParam<RefusedOpcodeCase> {};

TEST_P(RefusedOpcodeTest, IsRefusedByName) {
  const auto pickle = ReadTestPickle(
      "\x80\x04(N" + PickleOpcodes({GetParam().code}) + "os\nx\n.");
  EXPECT_EQ(pickle.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(pickle.status().message(),
              HasSubstr(absl::StrCat(
                  "data.pickle: byte 4: is the opcode ", GetParam().name,
                  GetParam().runs_code ? ", by which" : ";")));
}

INSTANTIATE_TEST_SUITE_P(Cases, RefusedOpcodeTest,
                         testing::ValuesIn(std::vector<RefusedOpcodeCase>{
                             {"GLOBAL", 'c', true},
                             {"STACK_GLOBAL", 0x93, true},
                             {"REDUCE", 'R', true},
                             {"BUILD", 'b', true},
                             {"INST", 'i', true},
                             {"OBJ", 'o', true},
                             {"NEWOBJ", 0x81, true},
                             {"NEWOBJ_EX", 0x92, true},
                             {"EXT1", 0x82, true},
                             {"EXT2", 0x83, true},
                             {"EXT4", 0x84, true},
                             {"PERSID", 'P', true},
                             {"BINPERSID", 'Q', true},
                             {"NEXT_BUFFER", 0x97, false},
                             {"READONLY_BUFFER", 0x98, false},
                             {"BYTEARRAY8", 0x96, false},
                             {"EMPTY_SET", 0x8F, false},
                             {"ADDITEMS", 0x90, false},
                             {"FROZENSET", 0x91, false},
                             {"INT", 'I', false},
                             {"LONG", 'L', false},
                             {"FLOAT", 'F', false},
                             {"STRING", 'S', false},
                             {"UNICODE", 'V', false},
                             {"DICT", 'd', false},
                             {"LIST", 'l', false},
                             {"GET", 'g', false},
                             {"PUT", 'p', false},
                         }),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

struct BadPickleCase {
  const char* name;
  std::string bytes;
  const char* error;
};

class BadPickleTest : public testing::TestWithParam<BadPickleCase> {};

TEST_P(BadPickleTest, IsRefusedWithThePlace) {
  const auto pickle = ReadTestPickle(GetParam().bytes);
  EXPECT_EQ(pickle.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(pickle.status().message(),
              HasSubstr(absl::StrCat("data.pickle: byte ", GetParam().error)));
}

std::vector<BadPickleCase> BadPickleCases() {
  return {
      {"Nothing", "", "0: is the end of the file"},
      {"NoProtocol", "N.", "0: has no PROTO"},
      {"Protocol1", "\x80\x01N.", "0: has protocol 1"},
      {"Protocol6", "\x80\x06N.", "0: has protocol 6"},
      {"NoStop", "\x80\x02N", "3: is the end of the file"},
      {"NoValue", "\x80\x02.", "2: STOP finds 0 values"},
      {"TwoValues", "\x80\x02NN.", "4: STOP finds 2 values"},
      {"OpenMark", "\x80\x02N(.", "4: STOP finds 1 values and 1 marks"},
      {"NoOpcode", "\x80\x02\xFFN.", "2: has no opcode (0xff)"},
      {"NumberCutOff", "\x80\x02J\1\1.", "2: BININT has 3 bytes"},
      {"TextCutOff", "\x80\x02X\xFF\xFF\xFF\xFFhi.",
       "2: BINUNICODE has 3 bytes up to the end of the file; expected "
       "4294967295"},
      {"TextOf64Bits", "\x80\x04\x8D" + PickleBytes(UINT64_MAX, 8) + "hi.",
       "2: BINUNICODE8 has 3 bytes"},
      {"BytesOf64Bits", "\x80\x04\x8E" + PickleBytes(UINT64_MAX - 8, 8) + "hi.",
       "2: BINBYTES8 has 3 bytes"},
      {"HugeLong",
       "\x80\x02\x8B\xFF\xFF\xFF\x7F"
       "1.",
       "2: LONG4 has 2 bytes"},
      {"NegativeLong",
       "\x80\x02\x8B\xFF\xFF\xFF\xFF"
       "1.",
       "2: LONG4 has 2 bytes"},
      {"FrameCutOff", "\x80\x04\x95" + PickleBytes(100, 8) + "N.",
       "2: FRAME has 2 bytes up to the end of the file; expected 100"},
      {"FrameOf64Bits", "\x80\x04\x95" + PickleBytes(UINT64_MAX, 8) + "N.",
       "2: FRAME has 2 bytes"},
  };
}

std::vector<BadPickleCase> BadStackCases() {
  return {
      {"AppendToNothing", "\x80\x02Na.", "3: APPEND finds 1 values"},
      {"AppendToADict", "\x80\x02}Na.", "4: APPEND finds no list"},
      {"AppendsToANumber", "\x80\x02K\1(Ne.", "6: APPENDS finds no list"},
      {"AppendsBelowAMark", "\x80\x02]((Ne.", "6: APPENDS finds no list"},
      {"AppendsWithoutAMark", "\x80\x02]Ne.", "4: APPENDS finds no mark"},
      {"SetItemsOfAList", "\x80\x02](NNu.", "6: SETITEMS finds no dictionary"},
      {"OddSetItems", "\x80\x02}(NNNu.",
       "7: SETITEMS finds 3 values; expected a value for each key"},
      {"ListAsAKey", "\x80\x02}(]Nu.", "6: SETITEMS finds a list or a dict"},
      {"DictAsAKey", "\x80\x02}}Ns.", "5: SETITEM finds a list or a dict"},
      {"TupleOfTooFew", "\x80\x02NN\x87.", "4: TUPLE3 finds 2 values"},
      {"TupleAcrossAMark", "\x80\x02N(N\x86.", "5: TUPLE2 finds 1 values"},
      {"TupleWithoutAMark", "\x80\x02Nt.", "3: TUPLE finds no mark"},
      {"PopOfNothing",
       "\x80\x02"
       "0.",
       "2: POP finds no mark"},
      {"DupOfNothing",
       "\x80\x02"
       "2.",
       "2: DUP finds 0 values"},
      {"GetOfNothing", PickleOpcodes({0x80, 2, 'h', 0, '.'}),
       "2: BINGET asks for value 0, which was not stored"},
      {"GetOfAGap", PickleOpcodes({0x80, 2, 'N', 'q', 2, 'h', 1, '.'}),
       "5: BINGET asks for value 1, which was not stored"},
      {"PutFarAway", "\x80\x02Nr\xFF\xFF\xFF\xFF.",
       "3: LONG_BINPUT stores value 4294967295"},
      {"PutOfNothing", PickleOpcodes({0x80, 2, 'q', 0, '.'}),
       "2: BINPUT finds 0 values"},
      {"MemoizeOfNothing", "\x80\x04\x94.", "2: MEMOIZE finds 0 values"},
      {"ManyMarks", "\x80\x02" + RepeatOpcodes("](", 1000000),
       "2003: nests values deeper than 1000"},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, BadPickleTest,
                         testing::ValuesIn(BadPickleCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

INSTANTIATE_TEST_SUITE_P(Stack, BadPickleTest,
                         testing::ValuesIn(BadStackCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(PickleTest, EveryPrefixIsRefused) {
  const std::string whole = PickleFile(PickleDict(
      {{"a", PickleList({PickleInt(1), PickleText("hi")})}, {"b", "NN\x86"}}));
  ASSERT_TRUE(ReadTestPickle(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadTestPickle(whole.substr(0, size)).ok()) << size;
  }
}

TEST(PickleTest, AMillionNestedListsTakeNoStack) {
  const std::string lists =
      RepeatOpcodes("]", 1000000) + RepeatOpcodes("a", 999999);
  const std::string bytes = PickleFile(lists);
  const auto pickle = ReadTestPickle(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  EXPECT_EQ(ShowPickle(*pickle, pickle->root()), "[[list]]");
}

TEST(PickleTest, SharedListsAreNotCopied) {
  // Each list contains the previous list ten times, so there are 10^60 items in
  // total.
  std::string lists = "]\x94";
  for (int i = 0; i < 60; ++i) {
    lists += "](" + RepeatOpcodes(PickleOpcodes({'h', i}), 10) + "e\x94";
  }
  lists = "](" + lists + "e";
  const std::string bytes = PickleFile(lists);
  const auto pickle = ReadTestPickle(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  EXPECT_EQ(pickle->containers(), 62U);
}

// Each dictionary has the fewest bytes that Python needs for four entries, and
// the file is so large that its limit depends on its size.
TEST(PickleTest, TheSmallestDictionariesAreWithinTheLimitOfMemory) {
  constexpr size_t kBatches = 1600;
  const std::string entry = PickleOpcodes({'h', 0, 'K', 1});
  const std::string dict = "}\x94(" + RepeatOpcodes(entry, 4) + "u";
  const std::string batch = "(" + RepeatOpcodes(dict, 1000) + "e";
  const std::string bytes = PickleFile(PickleText("a") + "\x94" + "0]" +
                                       RepeatOpcodes(batch, kBatches));
  ASSERT_GT(100 * 1000 * kBatches, Pickle::MemoryLimit(0));
  const auto pickle = ReadTestPickle(bytes);
  ASSERT_TRUE(pickle.ok()) << pickle.status();
  EXPECT_EQ(pickle->containers(), 1 + 1000 * kBatches);
}

struct LargePickleCase {
  const char* name;
  std::string opcode;
};

class LargePickleTest : public testing::TestWithParam<LargePickleCase> {};

// Python never encodes this many values in so few bytes.
TEST_P(LargePickleTest, IsRefusedAtTheLimitOfMemory) {
  const size_t count = Pickle::MemoryLimit(0) / 8 + 1;
  const auto pickle =
      ReadTestPickle("\x80\x04]" + RepeatOpcodes(GetParam().opcode, count));
  EXPECT_EQ(pickle.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(pickle.status().message(),
              HasSubstr("more than 134217728 bytes"));
}

INSTANTIATE_TEST_SUITE_P(Cases, LargePickleTest,
                         testing::Values(LargePickleCase{"Memo", "\x94"},
                                         LargePickleCase{"Values", "N"},
                                         LargePickleCase{"Lists", "]"},
                                         LargePickleCase{"Copies", "2"}),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace stowage::recordings
