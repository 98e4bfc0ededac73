// SPDX-License-Identifier: Apache-2.0
#include "src/recorder/preload/process_log.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/recorder/log_writer.h"
#include "src/recorder/signal_block.h"
#include "stowage/recordings/log_format.h"

namespace stowage::preload {

std::atomic<recorder::LogWriter*> process_writer{nullptr};
__thread uint32_t thread_number = 0;

namespace {

using recorder::LogWriter;

constexpr size_t kPathBytes = 4096;
constexpr char kLibraryName[] = "libstowage_record.so";

// Says whether events are logged. The value is kUnknown before the first event.
enum class Recording : uint32_t { kUnknown, kOn, kOff, kPaused };

std::atomic<Recording> recording{Recording::kUnknown};
// The id of the process in which a thread is currently beginning the log, or 0.
// In a forked child process it may be the id of the parent, in which case that
// thread does not exist in the child.
std::atomic<pid_t> beginning_process{0};

// Only the thread that has set beginning_process may access these buffers.
char folder[kPathBytes];
char preload[kPathBytes];
char log_path[kPathBytes];

// Copies the value of the variable to `value` if `entry` sets the variable. A
// value that is too long is ignored.
void CopyIfIs(const char* entry, const char* variable, char* value) {
  const size_t name = strlen(variable);
  if (strncmp(entry, variable, name) != 0 || entry[name] != '=') return;
  const size_t length = strlen(entry + name + 1);
  if (length < kPathBytes) memcpy(value, entry + name + 1, length + 1);
}

void ReadEntry(const char* entry) {
  CopyIfIs(entry, log_format::kFolderVariable, folder);
  CopyIfIs(entry, "LD_PRELOAD", preload);
}

// Reads the environment from the system, because the first allocations occur
// before the C library has set `environ`.
void ReadSystemEnvironment() {
  const int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  size_t used = 0;
  bool skips = false;  // an entry longer than the buffer is being skipped
  for (;;) {
    const ssize_t got = read(fd, log_path + used, kPathBytes - 1 - used);
    if (got <= 0) break;
    used += static_cast<size_t>(got);
    log_path[used] = '\0';
    size_t begin = 0;
    while (const void* const end =
               memchr(log_path + begin, '\0', used - begin)) {
      if (!skips) ReadEntry(log_path + begin);
      skips = false;
      begin = static_cast<size_t>(static_cast<const char*>(end) - log_path) + 1;
    }
    if (begin == 0 && used == kPathBytes - 1) {
      skips = true;
      begin = used;
    }
    used -= begin;
    memmove(log_path, log_path + begin, used);
  }
  close(fd);
}

// Reduces a list of libraries to the entry for this library.
void KeepThisLibrary(char* list) {
  const char* const name = strstr(list, kLibraryName);
  if (name == nullptr) {
    list[0] = '\0';
    return;
  }
  const char* begin = name;
  while (begin > list && begin[-1] != ':' && begin[-1] != ' ') --begin;
  const auto length =
      static_cast<size_t>(name - begin) + sizeof(kLibraryName) - 1;
  memmove(list, begin, length);
  list[length] = '\0';
}

// Returns whether the environment requests logs.
bool ReadEnvironment() {
  if (environ != nullptr) {
    for (char** entry = environ; *entry != nullptr; ++entry) ReadEntry(*entry);
  } else {
    ReadSystemEnvironment();
  }
  KeepThisLibrary(preload);
  return folder[0] == '/';
}

char* AppendNumber(uint64_t number, char* to) {
  char digits[20];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *to++ = digits[--count];
  return to;
}

// Appends the name of the program. Characters that would need quotes are
// replaced.
char* AppendProgram(char* to) {
  constexpr size_t kMostCharacters = 64;
  char path[kPathBytes / 4];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  size_t begin = length > 0 ? static_cast<size_t>(length) : 0;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  size_t count = 0;
  for (size_t i = begin; static_cast<ssize_t>(i) < length; ++i) {
    const char c = path[i];
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                          c == '+' || (c == '.' && count > 0);
    if (count++ < kMostCharacters) *to++ = is_plain ? c : '_';
  }
  if (count == 0) *to++ = '_';
  return to;
}

// Creates FOLDER/PROGRAM.PID.N.stowlog with the lowest N that is unused. N is
// needed because a process can execute several programs, one after another, and
// because the system reuses process ids.
LogWriter* CreateLog(bool is_forked) {
  constexpr size_t kNameBytes = 128;
  constexpr uint64_t kMostImages = 100'000;
  const size_t length = strlen(folder);
  if (length + kNameBytes > kPathBytes) return nullptr;
  memcpy(log_path, folder, length + 1);
  char* end = log_path + length;
  *end++ = '/';
  end = AppendProgram(end);
  *end++ = '.';
  end = AppendNumber(static_cast<uint64_t>(getpid()), end);
  *end++ = '.';
  recorder::LogFacts facts;
  facts.flags = log_format::kIsProcess |
                (is_forked ? log_format::kForked : 0U) |
                (AsksForTouches() ? log_format::kHasTouches : 0U);
  // On 64-bit machines, glibc aligns blocks to 16 bytes.
  facts.id_rotation = 4;
  facts.alignment_log2 = 4;
  for (uint64_t image = 0; image < kMostImages; ++image) {
    char* const dot = AppendNumber(image, end);
    memcpy(dot, log_format::kFileEnding, sizeof(log_format::kFileEnding));
    LogWriter* const writer = LogWriter::Create(log_path, facts);
    if (writer != nullptr || errno != EEXIST) return writer;
  }
  return nullptr;
}

}  // namespace

recorder::LogWriter* BeginLog() {
  const Recording now = recording.load(std::memory_order_relaxed);
  if (now == Recording::kOff || now == Recording::kPaused) return nullptr;
  const recorder::SignalBlock block;
  const pid_t process = getpid();
  if (beginning_process.exchange(process, std::memory_order_acquire) ==
      process) {
    return nullptr;
  }
  LogWriter* writer = process_writer.load(std::memory_order_relaxed);
  if (writer == nullptr || !writer->is_live()) {
    const int error = errno;
    const bool is_forked = writer != nullptr;
    const bool is_on = now == Recording::kOn || ReadEnvironment();
    writer = is_on ? CreateLog(is_forked) : nullptr;
    recording.store(writer != nullptr ? Recording::kOn : Recording::kOff,
                    std::memory_order_relaxed);
    if (writer != nullptr) {
      process_writer.store(writer, std::memory_order_release);
    }
    errno = error;
  }
  beginning_process.store(0, std::memory_order_release);
  return writer;
}

LogPause::LogPause() : writer_(process_writer.exchange(nullptr)) {
  if (recording.load() == Recording::kOn) recording.store(Recording::kPaused);
}

LogPause::~LogPause() {
  if (recording.load() == Recording::kPaused) recording.store(Recording::kOn);
  process_writer.store(writer_);
}

const char* LogFolder() { return folder; }
bool AsksForTouches() {
  // The folder may begin with more slashes than the prefix.
  const char* path = folder;
  while (path[0] == '/' && path[1] == '/') ++path;
  return strncmp(path, log_format::kTouchesPrefix,
                 sizeof(log_format::kTouchesPrefix) - 1) == 0;
}
const char* PreloadPath() { return preload; }

}  // namespace stowage::preload
