// SPDX-License-Identifier: Apache-2.0
// Lists the opcodes of pickles (pickle.h), with their names in
// Lib/pickletools.py of github.com/python/cpython.
#ifndef STOWAGE_SRC_RECORDINGS_PICKLE_OPCODES_H_
#define STOWAGE_SRC_RECORDINGS_PICKLE_OPCODES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/recordings/pickle.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

enum class PickleAction : uint8_t {
  kUnknown,
  kRefuseCode,   // makes Python import or call something
  kRefuseOther,  // sets, buffers, and the text of protocol 0
  kPush,         // pushes a value whose payload is the place of its opcode
  kPushBool,     // pushes the argument of the row
  kPushInt,
  kPushContainer,
  kTuple,  // has as many values as the argument of the row says
  kMarkedTuple,
  kMark,
  kPop,
  kPopMark,
  kDup,
  kAppend,
  kAppends,
  kSetItem,
  kSetItems,
  kGet,
  kPut,
  kMemoize,
  kFrame,
  kProto,
  kStop,
};

struct PickleOpcode {
  uint8_t code = 0;
  const char* name = "";
  PickleAction action = PickleAction::kUnknown;
  uint8_t number_bytes = 0;  // of the number after the opcode
  bool is_counted = false;   // that number counts the bytes after it
  PickleKind kind = PickleKind::kUnset;
  uint8_t argument = 0;
};

constexpr PickleOpcode kPickleOpcodes[] = {
    {'N', "NONE", PickleAction::kPush, 0, false, PickleKind::kNone},
    {0x88, "NEWTRUE", PickleAction::kPushBool, 0, false, PickleKind::kBool, 1},
    {0x89, "NEWFALSE", PickleAction::kPushBool, 0, false, PickleKind::kBool, 0},
    {'J', "BININT", PickleAction::kPushInt, 4},
    {'K', "BININT1", PickleAction::kPushInt, 1},
    {'M', "BININT2", PickleAction::kPushInt, 2},
    {0x8A, "LONG1", PickleAction::kPushInt, 1, true},
    {0x8B, "LONG4", PickleAction::kPushInt, 4, true},
    {'G', "BINFLOAT", PickleAction::kPush, 8, false, PickleKind::kFloat},
    {0x8C, "SHORT_BINUNICODE", PickleAction::kPush, 1, true, PickleKind::kText},
    {'X', "BINUNICODE", PickleAction::kPush, 4, true, PickleKind::kText},
    {0x8D, "BINUNICODE8", PickleAction::kPush, 8, true, PickleKind::kText},
    {'U', "SHORT_BINSTRING", PickleAction::kPush, 1, true, PickleKind::kText},
    {'T', "BINSTRING", PickleAction::kPush, 4, true, PickleKind::kText},
    {'C', "SHORT_BINBYTES", PickleAction::kPush, 1, true, PickleKind::kBytes},
    {'B', "BINBYTES", PickleAction::kPush, 4, true, PickleKind::kBytes},
    {0x8E, "BINBYTES8", PickleAction::kPush, 8, true, PickleKind::kBytes},
    {']', "EMPTY_LIST", PickleAction::kPushContainer, 0, false,
     PickleKind::kList},
    {'}', "EMPTY_DICT", PickleAction::kPushContainer, 0, false,
     PickleKind::kDict},
    {')', "EMPTY_TUPLE", PickleAction::kTuple, 0, false, PickleKind::kTuple, 0},
    {0x85, "TUPLE1", PickleAction::kTuple, 0, false, PickleKind::kTuple, 1},
    {0x86, "TUPLE2", PickleAction::kTuple, 0, false, PickleKind::kTuple, 2},
    {0x87, "TUPLE3", PickleAction::kTuple, 0, false, PickleKind::kTuple, 3},
    {'t', "TUPLE", PickleAction::kMarkedTuple, 0, false, PickleKind::kTuple},
    {'(', "MARK", PickleAction::kMark},
    {'0', "POP", PickleAction::kPop},
    {'1', "POP_MARK", PickleAction::kPopMark},
    {'2', "DUP", PickleAction::kDup},
    {'a', "APPEND", PickleAction::kAppend},
    {'e', "APPENDS", PickleAction::kAppends},
    {'s', "SETITEM", PickleAction::kSetItem},
    {'u', "SETITEMS", PickleAction::kSetItems},
    {'h', "BINGET", PickleAction::kGet, 1},
    {'j', "LONG_BINGET", PickleAction::kGet, 4},
    {'q', "BINPUT", PickleAction::kPut, 1},
    {'r', "LONG_BINPUT", PickleAction::kPut, 4},
    {0x94, "MEMOIZE", PickleAction::kMemoize},
    {0x95, "FRAME", PickleAction::kFrame, 8},
    {0x80, "PROTO", PickleAction::kProto, 1},
    {'.', "STOP", PickleAction::kStop},
    {'c', "GLOBAL", PickleAction::kRefuseCode},
    {0x93, "STACK_GLOBAL", PickleAction::kRefuseCode},
    {'R', "REDUCE", PickleAction::kRefuseCode},
    {'b', "BUILD", PickleAction::kRefuseCode},
    {'i', "INST", PickleAction::kRefuseCode},
    {'o', "OBJ", PickleAction::kRefuseCode},
    {0x81, "NEWOBJ", PickleAction::kRefuseCode},
    {0x92, "NEWOBJ_EX", PickleAction::kRefuseCode},
    {0x82, "EXT1", PickleAction::kRefuseCode},
    {0x83, "EXT2", PickleAction::kRefuseCode},
    {0x84, "EXT4", PickleAction::kRefuseCode},
    {'P', "PERSID", PickleAction::kRefuseCode},
    {'Q', "BINPERSID", PickleAction::kRefuseCode},
    {0x97, "NEXT_BUFFER", PickleAction::kRefuseOther},
    {0x98, "READONLY_BUFFER", PickleAction::kRefuseOther},
    {0x96, "BYTEARRAY8", PickleAction::kRefuseOther},
    {0x8F, "EMPTY_SET", PickleAction::kRefuseOther},
    {0x90, "ADDITEMS", PickleAction::kRefuseOther},
    {0x91, "FROZENSET", PickleAction::kRefuseOther},
    {'I', "INT", PickleAction::kRefuseOther},
    {'L', "LONG", PickleAction::kRefuseOther},
    {'F', "FLOAT", PickleAction::kRefuseOther},
    {'S', "STRING", PickleAction::kRefuseOther},
    {'V', "UNICODE", PickleAction::kRefuseOther},
    {'d', "DICT", PickleAction::kRefuseOther},
    {'l', "LIST", PickleAction::kRefuseOther},
    {'g', "GET", PickleAction::kRefuseOther},
    {'p', "PUT", PickleAction::kRefuseOther},
};

constexpr std::array<PickleOpcode, 256> PickleOpcodesByCode() {
  std::array<PickleOpcode, 256> table = {};
  for (const PickleOpcode& opcode : kPickleOpcodes) table[opcode.code] = opcode;
  return table;
}

// The opcode for each byte.
constexpr std::array<PickleOpcode, 256> kPickleOpcodeOf = PickleOpcodesByCode();

// Returns the opcode at position `at` of a pickle.
inline const PickleOpcode& PickleOpcodeAt(string_view bytes, size_t at) {
  return kPickleOpcodeOf[static_cast<uint8_t>(bytes[at])];
}

// Reads a number of at most 8 bytes, with the least significant byte first.
uint64_t PickleNumber(string_view bytes);

// Returns the argument of the opcode at position `at`. If the opcode has a
// counted argument, returns the text or the bytes after the count. Otherwise
// returns the bytes of the number after the opcode. Requires that the opcode is
// known to be complete, because it has been executed.
string_view PickleArgumentAt(string_view bytes, size_t at);

// Returns the number that an opcode pushes, or nothing if the number is
// negative or has more than 64 bits.
optional<uint64_t> PickleUnsigned(const PickleOpcode& opcode,
                                  string_view argument);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_PICKLE_OPCODES_H_
