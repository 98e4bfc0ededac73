// SPDX-License-Identifier: Apache-2.0
// Prints a plan as text, line by line, for PlannerFor (tflm_planner.h). This
// header needs no libc. On a host, use `stowage plan`, which shows more
// details.
#ifndef STOWAGE_MICRO_PLAN_TEXT_H_
#define STOWAGE_MICRO_PLAN_TEXT_H_

#include <cstddef>
#include <cstdint>

#include "stowage/micro/plan.h"

namespace stowage::micro {

// Convert times of TensorFlow Lite Micro, which may be negative, to tasks and
// back. Both conversions preserve the order.
constexpr uint32_t TaskOfTime(int32_t time) {
  return static_cast<uint32_t>(time) ^ 0x80000000u;
}
constexpr int32_t TimeOfTask(uint32_t task) {
  return static_cast<int32_t>(task ^ 0x80000000u);
}

// One line of text with a fixed capacity. Characters beyond the capacity are
// left out.
class TextLine {
 public:
  void Append(char letter) {
    if (size_ + 1 < sizeof(text_)) text_[size_++] = letter;
  }

  void Append(const char* text) {
    while (*text != '\0') Append(*text++);
  }

  // Appends a number, right-aligned in at least `width` columns.
  void Append(int64_t number, size_t width = 0) {
    char digits[20];
    size_t count = 0;
    uint64_t rest = number < 0 ? 0 - static_cast<uint64_t>(number)
                               : static_cast<uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (number < 0) digits[count++] = '-';
    for (size_t i = count; i < width; ++i) Append(' ');
    while (count > 0) Append(digits[--count]);
  }

  // Returns the line, which ends with a NUL.
  const char* text() {
    text_[size_] = '\0';
    return text_;
  }

 private:
  char text_[128];
  size_t size_ = 0;
};

// Returns the character that represents a buffer: '*' if the buffer is live at
// only one task, else a character that depends on `index`: 0 to 9, a to z, A to
// Z, and then again from 0.
constexpr char LetterOf(const stowage_micro_buffer& buffer, uint32_t index) {
  if (buffer.first_task == buffer.last_task) return '*';
  return "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      [index % 62];
}

// Prints a plan: first one line for each buffer, then one line for each time
// from 0 on. The line for a time has 80 columns, which show the arena from its
// start to its end: '.' represents free bytes, the character of a buffer
// (LetterOf) its bytes, and '!' a column that two buffers share. At the end of
// the line is the number of live kibibytes, rounded up. Requires that the tasks
// of the buffers are results of TaskOfTime(), and that the arena has at most
// INT32_MAX bytes.
template <void (*kPrintLine)(const char* line)>
void PrintPlan(const stowage_micro_buffer* buffers, uint32_t count) {
  constexpr uint32_t kColumns = 80;
  uint32_t scale = kColumns;
  int32_t last_time = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const stowage_micro_buffer& b = buffers[i];
    TextLine line;
    line.Append(LetterOf(b, i));
    line.Append(" (id=");
    line.Append(int64_t{i});
    line.Append("): size=");
    line.Append(int64_t{b.size});
    line.Append(", offset=");
    line.Append(int64_t{b.offset});
    line.Append(", first_used=");
    line.Append(int64_t{TimeOfTask(b.first_task)});
    line.Append(" last_used=");
    line.Append(int64_t{TimeOfTask(b.last_task)});
    kPrintLine(line.text());
    if (b.offset + b.size > scale) scale = b.offset + b.size;
    if (TimeOfTask(b.last_task) > last_time) {
      last_time = TimeOfTask(b.last_task);
    }
  }
  for (int64_t time = 0; time <= last_time; ++time) {
    const uint32_t task = TaskOfTime(static_cast<int32_t>(time));
    uint64_t live_bytes = 0;
    char columns[kColumns + 1];
    for (char& column : columns) column = '.';
    columns[kColumns] = '\0';
    for (uint32_t i = 0; i < count; ++i) {
      const stowage_micro_buffer& b = buffers[i];
      if (task < b.first_task || task > b.last_task) continue;
      live_bytes += b.size;
      const uint64_t begin = uint64_t{b.offset} * kColumns / scale;
      const uint64_t end = (uint64_t{b.offset} + b.size) * kColumns / scale;
      for (uint64_t c = begin; c < end; ++c) {
        columns[c] = columns[c] == '.' ? LetterOf(b, i) : '!';
      }
    }
    TextLine line;
    line.Append(time, 4);
    line.Append(": ");
    line.Append(columns);
    line.Append(" (");
    line.Append(static_cast<int64_t>((live_bytes + 1023) / 1024));
    line.Append("k)");
    kPrintLine(line.text());
  }
}

}  // namespace stowage::micro

#endif  // STOWAGE_MICRO_PLAN_TEXT_H_
