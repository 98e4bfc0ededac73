// SPDX-License-Identifier: Apache-2.0
// Traces of events as tests read them back, whatever their format.
#ifndef STOWAGE_TESTS_VIEWS_EVENT_READER_H_
#define STOWAGE_TESTS_VIEWS_EVENT_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stowage::views {

// Nanoseconds, half-open.
struct ReadSlice {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::map<std::string, uint64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
};

struct ReadTrack {
  std::string process;
  std::string group;  // of Perfetto's tracks
  std::string name;
  uint64_t rank = 0;
  std::vector<ReadSlice> slices = {};  // in the order of the file
  // Of counters: the time of each value, and in bytes.
  std::vector<std::pair<uint64_t, uint64_t>> values = {};
};

// Tracks in the order in which they are named, counters in that of their first
// value. A malformed file fails the test.
std::vector<ReadTrack> ReadJsonEvents(const std::string& json);
// The same of what `protoc --decode` prints.
std::vector<ReadTrack> ReadDecodedEvents(const std::string& text);

// The first track of that name, which the test fails without.
const ReadTrack& TrackNamed(const std::vector<ReadTrack>& tracks,
                            const std::string& name);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_EVENT_READER_H_
