// SPDX-License-Identifier: Apache-2.0
#include "src/command/plan_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// Placeholders such as $name and $NAME are replaced by values of the plan.
constexpr char kTemplate[] =
    R"(/* The memory plan of $model. Written by stowage offline header. */
#ifndef $NAME_PLAN_H_
#define $NAME_PLAN_H_

/* NOLINTBEGIN: this is C. */
#include <stdint.h>

/* The model that the plan is for: its bytes and their 32-bit FNV-1a hash. */
#define $NAME_MODEL_BYTES $model_bytesu
#define $NAME_MODEL_HASH 0x$hashu

/* Bytes of the arena that tensors and scratch memory take, from its start,
 * which is aligned to $NAME_ALIGNMENT. */
#define $NAME_HEAD_BYTES $head_bytesu
#define $NAME_ALIGNMENT $alignmentu

/* Bytes of the whole arena of TensorFlow Lite Micro, with a planner that lies
 * outside and needs no workspace: predicted for $commit, its reference
 * kernels, and pointers of $bits bits.$not_counted */
#define $NAME_ARENA_BYTES $arena_bytesu

/* Does not compile if `arena`, an array, is too small for all that, or for the
 * head alone. */
#define $NAME_REQUIRE_ARENA(arena) \
  void $name_require_arena( \
      char (*is_large_enough)[sizeof(arena) >= $NAME_ARENA_BYTES ? 1 : -1])
#define $NAME_REQUIRE_HEAD(arena) \
  void $name_require_head( \
      char (*is_large_enough)[sizeof(arena) >= $NAME_HEAD_BYTES ? 1 : -1])

/* C++ reads constants when it compiles. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define $NAME_CONSTANT static constexpr
#else
#define $NAME_CONSTANT static const
#endif

/* The plan: a row {size, first task, last task, offset} for each buffer, in the
 * order in which TensorFlow Lite Micro adds them to its planner: tensors of all
 * subgraphs, then scratch memory. Sizes and offsets are bytes, both tasks are
 * inclusive. */
#define $NAME_BUFFERS $buffersu
$NAME_CONSTANT uint32_t $name_buffers[$rows_array][4] = {$rows};
$overlaps
/* In the place of an offset: the tensor is not in the head. */
#define $NAME_NO_OFFSET UINT32_MAX

/* Offsets in bytes, of the tensors of all subgraphs in turn. */
#define $NAME_TENSORS $tensorsu
$NAME_CONSTANT uint32_t $name_tensor_offsets[$tensors_array] = {$tensor_offsets};

/* Offsets in bytes, of the scratch memory that operators ask for, in the order
 * in which they ask. */
#define $NAME_SCRATCH_BUFFERS $scratchu
$NAME_CONSTANT uint32_t $name_scratch_offsets[$scratch_array] = {$scratch_offsets};

/* Whether these bytes are the model that the plan is for. */
static inline int $name_is_model(const void* model, uint32_t bytes) {
  const uint8_t* byte = (const uint8_t*)model;
  uint32_t hash = 2166136261u;
  uint32_t i;
  if (bytes != $NAME_MODEL_BYTES) return 0;
  for (i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 16777619u;
  return hash == $NAME_MODEL_HASH;
}
/* NOLINTEND */

#elif $NAME_MODEL_HASH != 0x$hashu
#error "another model's plan has the name $name; expected another --name"
#endif /* $NAME_PLAN_H_ */
)";

// Returns the FNV-1a hash (Fowler, Noll, Vo), which a device computes in a few
// instructions.
uint32_t HashOf(absl::string_view bytes) {
  uint32_t hash = 2166136261U;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 16777619U;
  }
  return hash;
}

// The prefix of names if the file name has no usable characters.
constexpr char kNoName[] = "model";

// Returns text from a file in a form that can neither begin nor end a C
// comment.
std::string CommentText(absl::string_view text) {
  return absl::StrReplaceAll(OneLine(text), {{"*", "_"}});
}

// Returns the values of an array in lines of eight. Returns `none` if there are
// no values, because an array in C cannot be empty.
std::string Values(const std::vector<absl::optional<size_t>>& offsets,
                   const std::string& none) {
  if (offsets.empty()) return none;
  std::string text;
  for (size_t i = 0; i < offsets.size(); ++i) {
    absl::StrAppend(&text, i % 8 == 0 ? "\n    " : " ",
                    offsets[i] ? absl::StrCat(*offsets[i], "u") : none,
                    i + 1 == offsets.size() ? "" : ",");
  }
  return text;
}

struct Offsets {
  std::vector<absl::optional<size_t>> tensors;
  std::vector<absl::optional<size_t>> scratch;
};

Offsets OffsetsOf(const Model& model, const OfflineVerdict& verdict) {
  Offsets offsets;
  offsets.tensors.resize(model.tensor_count());
  for (const OfflineBuffer& buffer : verdict.buffers) {
    const MicroBuffer& micro = buffer.buffer;
    if (micro.tensor == kAbsent) {
      offsets.scratch.emplace_back(buffer.offset);
    } else {
      const SubgraphSpec& graph = model.subgraphs()[micro.subgraph];
      offsets.tensors[graph.first_tensor + micro.tensor] = buffer.offset;
    }
  }
  return offsets;
}

// Returns the rows of the table, one per buffer. A row has the lifetime that
// the device assumes for the buffer, which is in the last run of the buffer's
// subgraph. A variable is live at every task.
std::string Rows(const Model& model, const OfflineVerdict& verdict) {
  if (verdict.buffers.empty()) return "{0u, 0u, 0u, 0u}";
  TaskId last_task = 0;
  for (const OfflineBuffer& buffer : verdict.buffers) {
    last_task = std::max(last_task, buffer.buffer.record.last_task);
  }
  std::string text;
  for (const OfflineBuffer& buffer : verdict.buffers) {
    const TensorUsageRecord<size_t>& record = buffer.buffer.record;
    absl::StrAppend(&text, "\n    {", record.tensor_size, "u, ",
                    buffer.is_variable ? 0 : record.first_task, "u, ",
                    buffer.is_variable ? last_task : record.last_task, "u, ",
                    buffer.offset, "u}, /* ",
                    CommentText(OfflineBufferPlace(model, buffer)), " */");
  }
  return absl::StrCat(text, "\n");
}

std::string Overlaps(const std::string& upper, const Model& model,
                     const OfflineVerdict& verdict) {
  const std::vector<OfflineViolation> overlaps = verdict.overlaps();
  if (overlaps.empty()) return "";
  std::string text =
      "\n/* Pairs of buffers that share bytes while both are live, as their "
      "custom\n * operators want it:";
  for (const OfflineViolation& overlap : overlaps) {
    absl::StrAppend(&text, "\n *   ",
                    CommentText(Describe(model, verdict, overlap)));
  }
  return absl::StrCat(text, " */\n#define ", upper, "_OVERLAPS ",
                      overlaps.size(), "u\n");
}

std::string NotCountedText(const MicroArena& arena) {
  if (arena.unknown_operators.empty()) return "";
  return absl::StrCat(" It is larger by\n * what these operators keep: ",
                      CommentText(absl::StrJoin(arena.unknown_operators, ", ")),
                      ".");
}

}  // namespace

std::string HeaderComment(absl::string_view path) {
  return CommentText(path.substr(path.rfind('/') + 1));
}

std::string HeaderName(const std::string& path) {
  if (path == "-") return kNoName;
  const std::string stem = std::filesystem::path(path).stem().string();
  std::string name;
  for (const char c : stem) {
    const auto sign = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(sign)) {
      name.push_back(absl::ascii_tolower(sign));
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  if (!name.empty() && name.back() == '_') name.pop_back();
  // An identifier must not begin with a digit.
  const bool is_name =
      !name.empty() &&
      !absl::ascii_isdigit(static_cast<unsigned char>(name[0]));
  if (!is_name) {
    name = absl::StrCat(kNoName, name.empty() ? "" : "_", name);
  }
  if (name == stem) return name;
  return absl::StrCat(name, "_", absl::Hex(HashOf(stem), absl::kZeroPad8));
}

std::string PlanHeader(absl::string_view name, const Model& model,
                       const OfflineVerdict& verdict, const MicroArena& arena,
                       MicroWord word) {
  const Offsets offsets = OffsetsOf(model, verdict);
  const std::string upper = absl::AsciiStrToUpper(name);
  const std::string none = absl::StrCat(upper, "_NO_OFFSET");
  const auto length = [](const auto& list) {
    return absl::StrCat(list.empty() ? 1 : list.size());
  };
  return absl::StrReplaceAll(
      kTemplate, {{"$model_bytes", absl::StrCat(model.bytes().size())},
                  {"$model", HeaderComment(model.name())},
                  {"$NAME", upper},
                  {"$name", std::string(name)},
                  {"$hash", absl::StrFormat("%08x", HashOf(model.bytes()))},
                  {"$head_bytes", absl::StrCat(verdict.head_bytes.value_or(0))},
                  {"$alignment", absl::StrCat(kMicroAlignment)},
                  {"$commit", kMicroCommit},
                  {"$bits", absl::StrCat(BitsOf(word))},
                  {"$not_counted", NotCountedText(arena)},
                  {"$arena_bytes", absl::StrCat(arena.peak_bytes)},
                  {"$buffers", absl::StrCat(verdict.buffers.size())},
                  {"$rows_array", length(verdict.buffers)},
                  {"$rows", Rows(model, verdict)},
                  {"$overlaps", Overlaps(upper, model, verdict)},
                  {"$tensors_array", length(offsets.tensors)},
                  {"$tensors", absl::StrCat(offsets.tensors.size())},
                  {"$tensor_offsets", Values(offsets.tensors, none)},
                  {"$scratch_array", length(offsets.scratch)},
                  {"$scratch_offsets", Values(offsets.scratch, none)},
                  {"$scratch", absl::StrCat(offsets.scratch.size())}});
}

}  // namespace stowage::cli
