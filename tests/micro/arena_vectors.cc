// SPDX-License-Identifier: Apache-2.0
#include "tests/micro/arena_vectors.h"

#include <algorithm>
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "stowage/micro/arena.h"
#include "tests/micro/arena_replay.h"

namespace stowage::micro {
namespace {

using nlohmann::json;

arena_op OpNamed(const std::string& name) {
  static const std::map<std::string, arena_op> ops = {
      {"persistent", ARENA_PERSISTENT},
      {"temp", ARENA_TEMP},
      {"free_temp", ARENA_FREE_TEMP},
      {"all_temps_freed", ARENA_ALL_TEMPS_FREED},
      {"reset_temps", ARENA_RESET_TEMPS},
      {"allocate_resizable", ARENA_ALLOCATE_RESIZABLE},
      {"resize", ARENA_RESIZE},
      {"free_resizable", ARENA_FREE_RESIZABLE},
      {"reserve_overlay", ARENA_RESERVE_OVERLAY},
      {"overlay_address", ARENA_OVERLAY_ADDRESS},
      {"available", ARENA_AVAILABLE}};
  return ops.at(name);
}

stowage_micro_arena_kind KindNamed(const std::string& name) {
  static const std::map<std::string, stowage_micro_arena_kind> kinds = {
      {"single", STOWAGE_MICRO_ARENA_SINGLE},
      {"nonpersistent", STOWAGE_MICRO_ARENA_NONPERSISTENT},
      {"persistent", STOWAGE_MICRO_ARENA_PERSISTENT}};
  return kinds.at(name);
}

// Returns the number in a field of a call. Numbers that do not fit in 32 bits
// become UINT32_MAX, because no arena grants a size that large.
uint32_t Saturated(const json& call, const char* field) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(call.value(field, uint64_t{0}), UINT32_MAX));
}

uint32_t AnswerIn(const json& call) {
  const json& answer = call.at("ret");
  if (answer.is_null()) return ARENA_REFUSED;
  if (answer.is_boolean()) return answer.get<bool>() ? 1 : ARENA_REFUSED;
  return Saturated(call, "ret");
}

arena_call CallIn(const json& call) {
  arena_call result = {};
  result.op = OpNamed(call.at("op").get<std::string>());
  result.offset = Saturated(call, "offset");
  result.size = Saturated(call, "size");
  result.alignment = Saturated(call, "align");
  result.answer = AnswerIn(call);
  result.head = Saturated(call, "head");
  result.tail = Saturated(call, "tail");
  return result;
}

}  // namespace

std::vector<ArenaVector> ReadArenaVectors(std::istream* lines) {
  std::vector<ArenaVector> vectors;
  for (std::string text; std::getline(*lines, text);) {
    const json line = json::parse(text);
    ArenaVector& vector = vectors.emplace_back();
    vector.name = line.at("name").get<std::string>();
    for (const json& call : line.at("calls")) {
      vector.calls.push_back(CallIn(call));
    }
    const auto unsound = line.at("first_unsound").get<int64_t>();
    const auto count = static_cast<uint32_t>(vector.calls.size());
    vector.is_sound = unsound < 0;
    vector.sequence = {KindNamed(line.at("allocator").get<std::string>()),
                       line.at("arena_size").get<uint32_t>(),
                       line.at("base_mod64").get<uint32_t>(),
                       vector.is_sound ? count : static_cast<uint32_t>(unsound),
                       nullptr,
                       count};
  }
  for (ArenaVector& vector : vectors) {
    vector.sequence.calls = vector.calls.data();
  }
  return vectors;
}

}  // namespace stowage::micro
