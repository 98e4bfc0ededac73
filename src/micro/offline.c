// SPDX-License-Identifier: Apache-2.0
// A TFLite file is a flatbuffer. Every position in the file is an offset from
// its first byte and is checked when it is read. Errors set `broken`, so
// callers need to check only once, at the end of a step.
#include "stowage/micro/offline.h"

#include <stddef.h>
#include <stdint.h>

// The indices of the table fields that lead to the plan.
enum {
  MODEL_SUBGRAPHS = 2,
  MODEL_BUFFERS = 4,
  MODEL_METADATA = 6,
  SUBGRAPH_TENSORS = 0,
  BUFFER_DATA = 0,
  METADATA_NAME = 0,
  METADATA_BUFFER = 1
};

// The base-2 logarithm of the size of a vector element in bytes.
enum { BYTES = 0, REFERENCES = 2 };

enum { HEADER_BYTES = 12, NAME_BYTES = 23 };
static const uint8_t kPlanName[] = "OfflineMemoryAllocation";

typedef struct {
  const uint8_t* bytes;
  uint32_t size;  // is at least 8, and so small that positions never wrap
  int broken;
} file;

static uint32_t word_at(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

// Returns whether the first `size` bytes of `bytes` equal `text`, which has
// `size` bytes.
static int equals(const uint8_t* bytes, const uint8_t* text, uint32_t size) {
  while (size > 0 && bytes[size - 1] == text[size - 1]) --size;
  return size == 0;
}

static uint32_t read_word(file* model, uint32_t at) {
  if (at <= model->size - 4) return word_at(model->bytes + at);
  model->broken = 1;
  return 0;
}

static uint32_t read_half(file* model, uint32_t at) {
  if (at <= model->size - 2) {
    return model->bytes[at] | (uint32_t)model->bytes[at + 1] << 8;
  }
  model->broken = 1;
  return 0;
}

// Returns the target of the reference at position `at`, or 0 after setting
// `broken` if the target is outside the file.
static uint32_t follow(file* model, uint32_t at) {
  const uint32_t distance = read_word(model, at);
  if (distance <= model->size - at) return at + distance;
  model->broken = 1;
  return 0;
}

// Returns the position of a field of the table, or 0 if the table has no such
// field.
static uint32_t find_field(file* model, uint32_t table, uint32_t field) {
  const uint32_t vtable = table - read_word(model, table);
  const uint32_t entry = 4 + 2 * field;
  uint32_t distance = 0;
  if (entry < read_half(model, vtable)) {
    distance = read_half(model, vtable + entry);
  }
  return distance == 0 ? 0 : table + distance;
}

// Returns the position of the first element of a vector or string that is a
// field of the table. Sets `*count` to the number of elements, which is 0 if
// the table has no such field.
static uint32_t find_vector(file* model, uint32_t table, uint32_t field,
                            uint32_t log2_bytes, uint32_t* count) {
  uint32_t at = find_field(model, table, field);
  *count = 0;
  if (at == 0) return 0;
  at = follow(model, at);
  *count = read_word(model, at);
  if (*count > (model->size - at - 4) >> log2_bytes) model->broken = 1;
  return at + 4;
}

static int is_plan(file* model, uint32_t metadata) {
  uint32_t count;
  const uint32_t name =
      find_vector(model, metadata, METADATA_NAME, BYTES, &count);
  return !model->broken && count == NAME_BYTES &&
         equals(model->bytes + name, kPlanName, NAME_BYTES);
}

// Sets `*buffer` to the number of the buffer that contains the plan.
static stowage_micro_status find_metadata(file* model, uint32_t root,
                                          uint32_t* buffer) {
  uint32_t plans = 0;
  uint32_t count;
  const uint32_t first =
      find_vector(model, root, MODEL_METADATA, REFERENCES, &count);
  for (uint32_t i = 0; i < count && !model->broken; ++i) {
    const uint32_t metadata = follow(model, first + 4 * i);
    if (is_plan(model, metadata)) {
      const uint32_t at = find_field(model, metadata, METADATA_BUFFER);
      *buffer = at == 0 ? 0 : read_word(model, at);
      ++plans;
    }
  }
  if (model->broken) return STOWAGE_MICRO_OFFLINE_BAD_MODEL;
  if (plans == 0) return STOWAGE_MICRO_OFFLINE_NOT_FOUND;
  return plans == 1 ? STOWAGE_MICRO_OK : STOWAGE_MICRO_OFFLINE_TWICE;
}

// Sets `*subgraphs` to the number of subgraphs, and returns the total number of
// tensors in all subgraphs.
static uint32_t count_tensors(file* model, uint32_t root, uint32_t* subgraphs) {
  uint32_t tensors = 0;
  const uint32_t first =
      find_vector(model, root, MODEL_SUBGRAPHS, REFERENCES, subgraphs);
  for (uint32_t i = 0; i < *subgraphs && !model->broken; ++i) {
    uint32_t count;
    find_vector(model, follow(model, first + 4 * i), SUBGRAPH_TENSORS,
                REFERENCES, &count);
    if (count > UINT32_MAX - tensors) model->broken = 1;
    tensors += count;
  }
  return tensors;
}

stowage_micro_status stowage_micro_offline_read(const void* metadata,
                                                uint32_t bytes,
                                                uint32_t subgraphs,
                                                uint32_t tensors,
                                                stowage_micro_offline* plan) {
  const uint8_t* const words = metadata;
  const uint32_t offsets = bytes / 4 - HEADER_BYTES / 4;
  if (words == NULL || plan == NULL) return STOWAGE_MICRO_NULL_ARGUMENT;
  if (bytes == 0) return STOWAGE_MICRO_OFFLINE_EMPTY;
  if (bytes < HEADER_BYTES) return STOWAGE_MICRO_OFFLINE_TRUNCATED;
  if (bytes % 4 != 0) return STOWAGE_MICRO_OFFLINE_ODD_BYTES;
  if (word_at(words) != 0) return STOWAGE_MICRO_OFFLINE_VERSION;
  // Older writers stored the index of the only subgraph, 0, instead of the
  // number of subgraphs.
  if (word_at(words + 4) != subgraphs &&
      (word_at(words + 4) != 0 || subgraphs != 1)) {
    return STOWAGE_MICRO_OFFLINE_SUBGRAPHS;
  }
  if (word_at(words + 8) < tensors) return STOWAGE_MICRO_OFFLINE_TOO_FEW;
  if (word_at(words + 8) > tensors) return STOWAGE_MICRO_OFFLINE_TOO_MANY;
  if (offsets < tensors) return STOWAGE_MICRO_OFFLINE_SHORT;
  if (offsets > tensors) return STOWAGE_MICRO_OFFLINE_TRAILING;
  plan->offsets = words + HEADER_BYTES;
  plan->count = tensors;
  return STOWAGE_MICRO_OK;
}

stowage_micro_status stowage_micro_offline_find(const void* model,
                                                uint32_t bytes,
                                                stowage_micro_offline* plan) {
  static const uint8_t identifier[] = {'T', 'F', 'L', '3'};
  file in = {model, bytes, 0};
  uint32_t root, buffer = 0, buffers, at, subgraphs, tensors, data_bytes;
  stowage_micro_status status;
  if (model == NULL || plan == NULL) return STOWAGE_MICRO_NULL_ARGUMENT;
  if (bytes < 8 || bytes > INT32_MAX || !equals(in.bytes + 4, identifier, 4)) {
    return STOWAGE_MICRO_OFFLINE_BAD_MODEL;
  }
  root = follow(&in, 0);
  status = find_metadata(&in, root, &buffer);
  if (status != STOWAGE_MICRO_OK) return status;

  tensors = count_tensors(&in, root, &subgraphs);
  at = find_vector(&in, root, MODEL_BUFFERS, REFERENCES, &buffers);
  if (in.broken) return STOWAGE_MICRO_OFFLINE_BAD_MODEL;
  if (buffer >= buffers) return STOWAGE_MICRO_OFFLINE_NO_BUFFER;
  at = find_vector(&in, follow(&in, at + 4 * buffer), BUFFER_DATA, BYTES,
                   &data_bytes);
  if (in.broken) return STOWAGE_MICRO_OFFLINE_BAD_MODEL;
  if (at == 0) return STOWAGE_MICRO_OFFLINE_NO_DATA;
  return stowage_micro_offline_read(in.bytes + at, data_bytes, subgraphs,
                                    tensors, plan);
}

static uint32_t offset_in(const stowage_micro_offline* plan, uint32_t i) {
  return word_at(plan->offsets + (size_t)4 * i);
}

static int overlap(const stowage_micro_offline* plan,
                   const stowage_micro_buffer* buffers, const uint8_t* custom,
                   uint32_t i, uint32_t j) {
  const stowage_micro_buffer* const a = &buffers[i];
  const stowage_micro_buffer* const b = &buffers[j];
  uint32_t at_a, at_b;
  // Lifetimes are compared first, because most pairs of buffers are never live
  // at the same task.
  if (a->first_task > b->last_task || b->first_task > a->last_task ||
      a->size == 0 ||
      (custom != NULL && custom[i] != 0 && custom[i] == custom[j])) {
    return 0;
  }
  at_a = offset_in(plan, i);
  at_b = offset_in(plan, j);
  // A buffer without an offset has the largest offset, so it begins above all
  // other buffers. Sizes need not be rounded up, because offsets are aligned.
  return at_a < at_b + b->size && at_b < at_a + a->size;
}

// Checks the offset of a single buffer. Sets `*end` to the end of the buffer,
// with its size rounded up, or to 0 if the buffer is not placed.
static stowage_micro_status check_offset(
    const stowage_micro_buffer* buffer, uint32_t offset,
    const stowage_micro_offline_rules* rules, uint32_t* end) {
  const uint32_t mask = rules->alignment - 1;
  const uint32_t size = (buffer->size + mask) & ~mask;
  *end = 0;
  if (buffer->first_task > buffer->last_task) {
    return STOWAGE_MICRO_REVERSED_LIFETIME;
  }
  if (offset == STOWAGE_MICRO_UNPLACED) return STOWAGE_MICRO_OK;
  if (offset > INT32_MAX) return STOWAGE_MICRO_OFFLINE_NEGATIVE;
  if ((offset & mask) != 0) return STOWAGE_MICRO_MISALIGNED_OFFSET;
  // If rounding up wraps around, the result is smaller than the original size.
  if (size < buffer->size || size > rules->capacity ||
      offset > rules->capacity - size) {
    return STOWAGE_MICRO_CAPACITY_EXCEEDED;
  }
  *end = offset + size;
  return STOWAGE_MICRO_OK;
}

// Sets `*total` and `witness` in the same way as stowage_micro_offline_place().
static stowage_micro_status check_offsets(
    const stowage_micro_offline* plan, const stowage_micro_buffer* buffers,
    const stowage_micro_offline_rules* rules, uint32_t* total,
    uint32_t witness[2]) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < plan->count; ++i) {
    stowage_micro_status status;
    uint32_t end;
    if (buffers[i].size == 0) continue;
    witness[0] = witness[1] = i;
    status = check_offset(&buffers[i], offset_in(plan, i), rules, &end);
    if (status != STOWAGE_MICRO_OK) return status;
    if (end == 0) continue;
    if (end > largest) largest = end;
    for (uint32_t j = 0; j < i; ++j) {
      witness[0] = j;
      if (overlap(plan, buffers, rules->custom, j, i)) {
        return STOWAGE_MICRO_OVERLAP;
      }
    }
  }
  *total = largest;
  return STOWAGE_MICRO_OK;
}

stowage_micro_status stowage_micro_offline_place(
    const stowage_micro_offline* plan, stowage_micro_buffer* buffers,
    uint32_t count, const stowage_micro_offline_rules* rules, uint32_t* total,
    uint32_t witness[2]) {
  uint32_t culprits[2] = {0, 0};
  stowage_micro_status status;
  if (plan == NULL || rules == NULL || total == NULL ||
      (buffers == NULL && count > 0)) {
    return STOWAGE_MICRO_NULL_ARGUMENT;
  }
  if (rules->alignment == 0 ||
      (rules->alignment & (rules->alignment - 1)) != 0) {
    return STOWAGE_MICRO_BAD_ALIGNMENT;
  }
  if (plan->count < count) return STOWAGE_MICRO_OFFLINE_TOO_FEW;
  if (plan->count > count) return STOWAGE_MICRO_OFFLINE_TOO_MANY;
  status = check_offsets(plan, buffers, rules, total, culprits);
  if (status != STOWAGE_MICRO_OK) {
    if (witness != NULL) {
      witness[0] = culprits[0];
      witness[1] = culprits[1];
    }
    return status;
  }
  for (uint32_t i = 0; i < count; ++i) {
    buffers[i].offset = buffers[i].size == 0 ? 0 : offset_in(plan, i);
  }
  return STOWAGE_MICRO_OK;
}
