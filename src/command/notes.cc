// SPDX-License-Identifier: Apache-2.0
#include "src/command/notes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/screen.h"
#include "src/command/text.h"

namespace stowage::cli {
namespace {

// Returns the notes that were collected. No lock is needed, since a command
// reads all its inputs on one thread.
std::string& Notes() {
  static auto* const notes = new std::string;
  return *notes;
}

// Maps the path of each model to the number of its tensors that have an open
// extent.
std::map<std::string, size_t>& OpenTensors() {
  static auto* const tensors = new std::map<std::string, size_t>;
  return *tensors;
}

// Maps the path of each recording to the number of events that it lost.
std::map<std::string, uint64_t>& LostEventsByPath() {
  static auto* const events = new std::map<std::string, uint64_t>;
  return *events;
}

}  // namespace

void CountOpenShapes(const std::string& path, size_t tensors) {
  OpenTensors()[path] = tensors;
}

absl::optional<size_t> OpenShapeCount() {
  if (OpenTensors().empty()) return absl::nullopt;
  size_t sum = 0;
  for (const auto& [path, tensors] : OpenTensors()) sum += tensors;
  return sum;
}

void CountLostEvents(const std::string& path, uint64_t events) {
  LostEventsByPath()[path] = events;
}

uint64_t LostEventCount() {
  uint64_t sum = 0;
  for (const auto& [path, events] : LostEventsByPath()) sum += events;
  return sum;
}

void AddNote(const std::string& path, absl::string_view note) {
  if (note.empty()) return;
  const std::string line =
      absl::StrCat(OneLine(absl::StrCat(InputName(path), ": ", note)), "\n");
  if (!absl::StrContains(Notes(), line)) absl::StrAppend(&Notes(), line);
}

std::string TakeNotes() { return FitScreen(std::exchange(Notes(), "")); }

}  // namespace stowage::cli
