// SPDX-License-Identifier: Apache-2.0
// Reads files with event traces, for tests of the code that writes them.
// Supports both formats.
#ifndef STOWAGE_TESTS_VIEWS_EVENT_READER_H_
#define STOWAGE_TESTS_VIEWS_EVENT_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stowage::views {

// A slice of a track: the half-open interval [begin, end) in nanoseconds.
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
  // The values of a counter; empty for other tracks. Each pair has a time in
  // nanoseconds and the value, in bytes, from that time on.
  std::vector<std::pair<uint64_t, uint64_t>> values = {};
};

// Returns the tracks in a JSON file. Tracks are in the order in which the file
// names them, and counters are in the order of their first values. If the file
// is malformed, the test fails.
std::vector<ReadTrack> ReadJsonEvents(const std::string& json);
// Returns the tracks in the output of `protoc --decode`, in the same order.
std::vector<ReadTrack> ReadDecodedEvents(const std::string& text);

// Returns the first track with the given name. If there is none, the test
// fails.
const ReadTrack& TrackNamed(const std::vector<ReadTrack>& tracks,
                            const std::string& name);

}  // namespace stowage::views

#endif  // STOWAGE_TESTS_VIEWS_EVENT_READER_H_
