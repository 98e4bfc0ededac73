// SPDX-License-Identifier: Apache-2.0
// TablePlannerFor makes TensorFlow Lite Micro use a plan that was made on a
// host. The device then needs no workspace for planning, and the model needs no
// metadata. If the buffers of a model are not known before the device runs, use
// tflm_planner.h.
//
//   #include "keyword_plan.h"  // stowage offline header ... --name keyword
//   #include "stowage/micro/table_planner.h"
//   #include "tensorflow/lite/micro/memory_planner/micro_memory_planner.h"
//
//   using TablePlanner = stowage::micro::TablePlannerFor<
//       tflite::MicroMemoryPlanner, TfLiteStatus, kTfLiteOk, kTfLiteError>;
//   static_assert(stowage::micro::IsSafe(keyword_buffers, KEYWORD_BUFFERS,
//                                        KEYWORD_ALIGNMENT), "");
//   alignas(16) static uint8_t arena[KEYWORD_ARENA_BYTES];
//   TablePlanner planner(keyword_buffers, KEYWORD_BUFFERS);
//   auto* allocator =
//       tflite::MicroAllocator::Create(arena, sizeof(arena), &planner);
//
// A table has a row {size, first task, last task, offset} for each buffer. The
// rows are in the order in which TensorFlow adds the buffers: the tensors of
// all subgraphs, then scratch memory. Sizes and offsets are in bytes, and both
// tasks are inclusive. A row is an array of uint32_t, not a struct of this
// library, so that a generated header with a table needs only stdint.h.
#ifndef STOWAGE_MICRO_TABLE_PLANNER_H_
#define STOWAGE_MICRO_TABLE_PLANNER_H_

#include <cstddef>
#include <cstdint>

namespace stowage::micro {

// Columns of a table.
enum TableColumn { kTableSize, kTableFirst, kTableLast, kTableOffset };

// Returns whether a row has an offset and a buffer at this offset would end at
// or below byte INT_MAX, which is the limit because TensorFlow's offsets are
// ints. An offset of -1 means that the row has no offset.
constexpr bool IsPlaced(const uint32_t (&row)[4]) {
  // The highest bit must not be set in any of the three numbers.
  return ((row[kTableOffset] | row[kTableSize] |
           (row[kTableOffset] + row[kTableSize])) >>
          31) == 0;
}

// Returns whether two rows share bytes and are live at the same task.
constexpr bool ShareBytes(const uint32_t (&a)[4], const uint32_t (&b)[4]) {
  return a[kTableFirst] <= b[kTableLast] && b[kTableFirst] <= a[kTableLast] &&
         a[kTableOffset] < b[kTableOffset] + b[kTableSize] &&
         b[kTableOffset] < a[kTableOffset] + a[kTableSize] &&
         a[kTableSize] > 0 && b[kTableSize] > 0;
}

// Returns whether `count` rows are a safe plan. Call this function in a
// static_assert, so that an unsafe table does not compile. A plan is safe if
// each row has an offset (IsPlaced) that is a multiple of `alignment`, if no
// row has a last task before its first task, and if at most `overlaps` pairs of
// rows share bytes (ShareBytes). Pass an `overlaps` above 0 only if custom
// operators require buffers that overlap. `alignment` must be a power of two.
// O(n^2): compilers can evaluate 500 rows within their default limits.
constexpr bool IsSafe(const uint32_t (*rows)[4], uint32_t count,
                      uint32_t alignment, uint32_t overlaps = 0) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return false;
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!IsPlaced(rows[i]) || rows[i][kTableOffset] % alignment != 0 ||
        rows[i][kTableFirst] > rows[i][kTableLast]) {
      return false;
    }
    for (uint32_t j = 0; j < i; ++j) {
      found += ShareBytes(rows[i], rows[j]) ? 1 : 0;
    }
    if (found > overlaps) return false;
  }
  return true;
}

// Assigns the offsets of a table to buffers. `Base` is TensorFlow's planner
// interface, `Status` is TensorFlow's status type, and `kOk` and `kError` are
// two values of `Status`. Requires a safe table (IsSafe); the device does not
// check the table.
//
// Each added buffer must fit the next row of the table: the row must be at
// least as large as the buffer, and live at every task at which the buffer is
// live. If the kernels differ from those for which the plan was made, they may
// request more or larger scratch memory, which is refused. After a refusal,
// every buffer and every offset is refused until the next Init(), because
// buffers are identified only by their number. It is allowed to add fewer
// buffers than the table has rows.
template <class Base, class Status, Status kOk, Status kError>
class TablePlannerFor final : public Base {
 public:
  // `rows` must outlive the planner.
  TablePlannerFor(const uint32_t (*rows)[4], uint32_t count)
      : rows_(rows), count_(count) {}

  // Restarts with the first row of the table. Needs no workspace.
  Status Init(unsigned char* /*scratch_buffer*/,
              int /*scratch_buffer_size*/) override {
    added_ = 0;
    is_refused_ = false;
    return kOk;
  }

  // Adds the next buffer. Times are task numbers. TensorFlow passes times below
  // 0 for buffers that no operator writes; these times are ignored, because no
  // operator runs at them. Returns an error if no row is left, if the size is
  // negative, if the lifetime ends before it begins, if the size or the
  // lifetime exceeds that of the row, or if the row is not placed.
  Status AddBuffer(int size, int first_time_used, int last_time_used) override {
    return Add(size, first_time_used, last_time_used, kAnyOffset);
  }

  // Adds the next buffer of a model that contains a plan. Returns an error in
  // the cases of the other AddBuffer, or if `offline_offset` differs from the
  // offset of the row. If `offline_offset` is -1, the buffer may have any
  // offset.
  Status AddBuffer(int size, int first_time_used, int last_time_used,
                   int offline_offset) override {
    return Add(size, first_time_used, last_time_used, offline_offset);
  }

  // Returns the largest end of any row, even if no buffer was added for that
  // row. Returns 0 after a refusal. O(n).
  size_t GetMaximumMemorySize() override {
    uint32_t max = 0;
    for (uint32_t i = 0; i < count_ && !is_refused_; ++i) {
      const uint32_t end = rows_[i][kTableOffset] + rows_[i][kTableSize];
      if (IsPlaced(rows_[i]) && end > max) max = end;
    }
    return max;
  }

  // Returns the number of rows.
  int GetBufferCount() override { return static_cast<int>(count_); }

  // Sets *offset to the offset of a row. Returns an error if a buffer was
  // refused before, if the row does not exist or is not placed, or if `offset`
  // is null.
  Status GetOffsetForBuffer(int buffer_index, int* offset) override {
    // A negative index becomes a number that is larger than every valid index.
    const auto index = static_cast<uint32_t>(buffer_index);
    if (is_refused_ || index >= count_ || offset == nullptr ||
        !IsPlaced(rows_[index])) {
      return kError;
    }
    *offset = static_cast<int>(rows_[index][kTableOffset]);
    return kOk;
  }

  bool preserves_all_tensors() const override { return false; }

  // Returns the number of buffers that were accepted. After a refusal, this is
  // also the index of the refused buffer, counted from 0.
  uint32_t added() const { return added_; }

 private:
#ifdef TF_LITE_STATIC_MEMORY
  // Keeps the global operator delete out of the firmware. This operator is
  // never called, since planners are not allocated on a heap.
  void operator delete(void* /*object*/) {}
#endif

  static constexpr int kAnyOffset = -1;

  static bool Fits(const uint32_t (&row)[4], int size, int first, int last,
                   int offset) {
    if (!IsPlaced(row) || size < 0 || first > last ||
        static_cast<uint32_t>(size) > row[kTableSize]) {
      return false;
    }
    if (offset != kAnyOffset &&
        static_cast<uint32_t>(offset) != row[kTableOffset]) {
      return false;
    }
    if (last < 0) return true;
    const uint32_t first_task = first < 0 ? 0 : static_cast<uint32_t>(first);
    return first_task >= row[kTableFirst] &&
           static_cast<uint32_t>(last) <= row[kTableLast];
  }

  Status Add(int size, int first, int last, int offset) {
    is_refused_ = is_refused_ || added_ >= count_ ||
                  !Fits(rows_[added_], size, first, last, offset);
    if (is_refused_) return kError;
    ++added_;
    return kOk;
  }

  const uint32_t (*const rows_)[4];
  const uint32_t count_;
  uint32_t added_ = 0;
  bool is_refused_ = false;
};

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_TABLE_PLANNER_H_
