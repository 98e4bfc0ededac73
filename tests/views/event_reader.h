// SPDX-License-Identifier: Apache-2.0
// Reads traces of events back for tests, whatever their format is.
#ifndef STOWAGE_TESTS_VIEWS_EVENT_READER_H_
#define STOWAGE_TESTS_VIEWS_EVENT_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stowage::views {

// A slice of a track. Its times are nanoseconds, half-open.
struct ReadSlice {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::map<std::string, uint64_t> numbers = {};
  std::map<std::string, std::string> texts = {};
};

struct ReadTrack {
  std::string process;
  std::string group;  // the group of the track in Perfetto
  std::string name;
  uint64_t rank = 0;
  std::vector<ReadSlice> slices = {};  // in the order of the file
  // For a counter: the time of each value, and the value in bytes.
  std::vector<std::pair<uint64_t, uint64_t>> values = {};
};

// Returns the tracks in the order in which they are named, and counters in the
// order of their first values. A malformed file fails the test.
std::vector<ReadTrack> ReadJsonEvents(const std::string& json);
// Does the same for the output of `protoc --decode`.
std::vector<ReadTrack> ReadDecodedEvents(const std::string& text);

// Returns the first track of that name. The test fails if there is none.
const ReadTrack& TrackNamed(const std::vector<ReadTrack>& tracks,
                            const std::string& name);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_EVENT_READER_H_
