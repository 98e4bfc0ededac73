// SPDX-License-Identifier: Apache-2.0
// Tests which files are recognized but not read, and that no file is recognized
// as more than one format.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/recordings/recording_format.h"
#include "stowage/recordings/recording.h"
#include "tests/support/real_data.h"

namespace stowage::recordings {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Returns a field of a Protocol Buffers message. Numbers and lengths must be
// below 128.
std::string WireNumber(uint64_t field, char value) {
  std::string tag(1, static_cast<char>((field << 3 | 0) & 0x7F));
  if (field >= 16) {
    tag[0] = static_cast<char>(tag[0] | 0x80);
    tag += static_cast<char>(field >> 4);
  }
  return tag + value;
}

std::string WireText(uint64_t field, const std::string& text) {
  std::string tag(1, static_cast<char>((field << 3 | 2) & 0x7F));
  if (field >= 16) {
    tag[0] = static_cast<char>(tag[0] | 0x80);
    tag += static_cast<char>(field >> 4);
  }
  return tag + static_cast<char>(text.size()) + text;
}

// Returns a perfetto trace with two packets. The fields `packet` are in the
// second packet.
std::string PerfettoTrace(const std::string& packet) {
  return absl::StrCat(WireText(1, WireNumber(8, 5) + WireNumber(10, 1)),
                      WireText(1, packet + WireNumber(3, 7)));
}

struct UnplannableCase {
  const char* name;
  const char* format;
  std::string file;
  const char* description;
  const char* instead;
};

std::vector<UnplannableCase> UnplannableCases() {
  return {
      {"Dhat", "dhat",
       "{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n",
       "it is a profile of DHAT", "record with `valgrind --trace-malloc=yes"},
      {"DhatWithBlanks", "dhat", "\n{\n  \"dhatFileVersion\": 2,\n",
       "it is a profile of DHAT", "record with `valgrind --trace-malloc=yes"},
      {"HeaptrackInterpreted", "heaptrack-interpreted",
       "v 10400 3\nX ./prog\nI 1000 5e298d\ns d /tmp/rec/prog\ni 7f 8 0\n"
       "a 11c00 4\n+ 0\n- 0\n",
       "it is a file of heaptrack without addresses",
       "record with `heaptrack --raw`"},
      {"Massif", "massif",
       "desc: --massif-out-file=m\ncmd: ./prog\ntime_unit: i\n#-----------\n",
       "it is a profile of massif", "record with `valgrind"},
      {"Jemalloc", "jemalloc", "heap_v2/524288\n  t*: 28106: 56637512 [0: 0]\n",
       "it is a heap profile of jemalloc", "record with `heaptrack --raw`"},
      {"Gperftools", "gperftools",
       "heap profile:     11:     5412 [   12:   5413] @ heapprofile\n",
       "it is a heap profile of gperftools", "record with `heaptrack --raw`"},
      {"HeapprofdSamples", "heapprofd", PerfettoTrace(WireText(37, "abc")),
       "it is a trace of perfetto's heapprofd",
       "record with `heaptrack --raw`"},
      {"HeapprofdConfiguration", "heapprofd",
       PerfettoTrace(WireText(33,
                              "\n\x10"
                              "android.heapprofd")),
       "it is a trace of perfetto's heapprofd",
       "record with `heaptrack --raw`"},
      {"Ltrace", "ltrace",
       "malloc(1000)                     = 0x55dc730ad4a0\n"
       "free(0x55dc730ad4a0)             = <void>\n",
       "it is a log of ltrace", "since ltrace misses calls"},
      {"LtraceWithPrefixes", "ltrace",
       "[pid 77] 12:30:01.000123 prog->setlocale(LC_ALL, \"\") = \"C\"\n"
       "[pid 77] 12:30:01.000125 prog->malloc(80)             = 0x5560\n",
       "it is a log of ltrace", "since ltrace misses calls"},
      {"LtraceWithoutTheHeap", "ltrace",
       "4400 15:38:15.255964 getenv(\"POSIXLY_CORRECT\")   = nil\n",
       "it is a log of ltrace", "since ltrace misses calls"},
      {"MtraceReport", "mtrace-report",
       "\nMemory not freed:\n-----------------\n"
       "           Address     Size     Caller\n"
       "0x0000000001a4e460     0x14  at 0x40057d\n",
       "it is a report of the program mtrace",
       "pass the log from which it was made"},
      {"MtraceReportOfUnknownFrees", "mtrace-report",
       "- 0x0000000000610010 Free 3 was never alloc'd 0x7f666babbfaa\n",
       "it is a report of the program mtrace",
       "pass the log from which it was made"},
      {"MtraceReportOfNoLeaks", "mtrace-report", "No memory leaks.\n",
       "it is a report of the program mtrace",
       "pass the log from which it was made"},
  };
}

class UnplannableTest : public testing::TestWithParam<UnplannableCase> {};

TEST_P(UnplannableTest, IsRefusedByName) {
  const auto recording = ParseRecording(GetParam().file, "file");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(recording.status().message()),
              AllOf(StartsWith(absl::StrCat("file: ", GetParam().description)),
                    HasSubstr("no lifetimes of single blocks"),
                    HasSubstr(GetParam().instead)));
}

INSTANTIATE_TEST_SUITE_P(Cases, UnplannableTest,
                         testing::ValuesIn(UnplannableCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

// Returns the names of all formats that recognize a file with these first
// bytes.
std::vector<std::string> FormatsOf(const std::string& start) {
  std::vector<std::string> names;
  for (const RecordingFormat* const format :
       {&kMtrace, &kValgrind, &kHeaptrack, &kDhat, &kHeaptrackInterpreted,
        &kMassif, &kJemalloc, &kGperftools, &kHeapprofd, &kLtrace,
        &kMtraceReport}) {
    if (format->detect(start, "file")) {
      names.emplace_back(format->info.name);
    }
  }
  return names;
}

TEST(MallocFormatsTest, AFileHasOneFormat) {
  for (const UnplannableCase& each : UnplannableCases()) {
    EXPECT_THAT(FormatsOf(each.file), ElementsAre(each.format)) << each.name;
  }
  EXPECT_THAT(FormatsOf("= Start\n+ 0x10 0x20\n"), ElementsAre("mtrace"));
  EXPECT_THAT(FormatsOf("@ ./a:[0x1] + 0x10 0x20\n"), ElementsAre("mtrace"));
  EXPECT_THAT(FormatsOf("--7-- malloc(1) = 0x10\n"), ElementsAre("valgrind"));
  EXPECT_THAT(FormatsOf("==7== Using Valgrind-3.19.0 and LibVEX\n"),
              ElementsAre("valgrind"));
  EXPECT_THAT(FormatsOf("v 10400 3\nx 4 /a/b\nX ./b\n"),
              ElementsAre("heaptrack"));
}

struct OtherFileCase {
  const char* name;
  std::string file;
};

class OtherFileTest : public testing::TestWithParam<OtherFileCase> {};

TEST_P(OtherFileTest, HasNoFormatOfMalloc) {
  EXPECT_THAT(FormatsOf(GetParam().file), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OtherFileTest,
    testing::Values(
        OtherFileCase{"Empty", ""},
        OtherFileCase{"Trace", "id,lower,upper,size\nconv1,0,2,1204224\n"},
        OtherFileCase{"TraceWithNamesOfCalls",
                      "id,lower,upper,size\nmalloc(3) = 0x1,0,2,12\n"},
        OtherFileCase{"TraceWithAComment",
                      "# --7-- malloc(3) = 0x10\nid,lower,upper,size\n"},
        OtherFileCase{"Problem", "{\n \"records\": [\n"},
        OtherFileCase{"Strace",
                      "execve(\"./prog\", [\"./prog\"], 0x7ff) = 0\n"
                      "brk(NULL)                         = 0x5581\n"},
        OtherFileCase{"SourceOfC", "int main() { free(malloc(3)); }\n"},
        // This perfetto trace has no memory samples.
        OtherFileCase{"Perfetto", PerfettoTrace(WireText(11, "abc"))},
        // An XLA profile has its planes in field 1, like the packets of a
        // perfetto trace. Field 3 of a plane contains its lines.
        OtherFileCase{"XlaProfile",
                      WireText(1, WireNumber(1, 5) + WireText(2, "/host:CPU") +
                                      WireText(3, "android.heapprofd"))}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(MallocFormatsTest, RealFilesAreRefused) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  const auto refused = [&](const std::string& ending, const char* text) {
    const auto paths = support::FilesIn(*folder + "/malloc_log", ending);
    EXPECT_FALSE(paths.empty()) << ending;
    for (const std::string& path : paths) {
      EXPECT_THAT(std::string(ReadRecording(path).status().message()),
                  HasSubstr(text));
    }
  };
  refused(".dhat.json", "it is a profile of DHAT");
  refused("g.heaptrack.zst", "it is a file of heaptrack without addresses");
  refused("sort.heaptrack.zst", "it is a file of heaptrack without addresses");
}

}  // namespace
}  // namespace stowage::recordings
