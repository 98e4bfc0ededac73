// SPDX-License-Identifier: Apache-2.0
// Tests which files are recognized as XLA profiles and modules.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/recordings/recording.h"
#include "tests/recordings/xla_writer.h"

namespace stowage {
namespace {

struct XlaDetectionCase {
  const char* name;
  const char* path;
  std::string bytes;
  const char* format;  // empty if the file is not of XLA
};

class XlaDetectionTest : public testing::TestWithParam<XlaDetectionCase> {};

TEST_P(XlaDetectionTest, GoesByTheContent) {
  const XlaDetectionCase& each = GetParam();
  std::string found;
  for (const FileFormat& format : RecordingFileFormats()) {
    if (format.detect(each.bytes.substr(0, 4096), each.path)) {
      absl::StrAppend(&found, format.name);
    }
  }
  EXPECT_EQ(found, each.format);
}

std::vector<XlaDetectionCase> XlaDetectionCases() {
  const std::string long_name(5000, 'n');
  // These messages have other formats, but they use the same field numbers as
  // XLA's messages.
  const std::string node =
      xla::Bytes(1, "conv1") + xla::Bytes(2, "Conv2D") + xla::Bytes(3, "input");
  const std::string feature =
      xla::Bytes(1, "image") + xla::Bytes(3, xla::Number(1, 3));
  return {
      {"Profile", "a", xla::Space({xla::Plane("/host:CPU")}), "xplane"},
      {"ProfileOfADevice", "a", xla::Space({xla::Plane("/device:GPU:0", 3)}),
       "xplane"},
      {"ProfileByItsName", "a.xplane.pb", xla::Space({xla::Plane("other")}),
       "xplane"},
      {"OtherPlane", "a.pb", xla::Space({xla::Plane("other")}), ""},
      {"ProfileNamedAsAModule", "a.hlo.pb",
       xla::Space({xla::Plane("/host:CPU")}), "xplane"},
      {"Module", "a", xla::SmallHlo(), "hlo"},
      {"ModuleNamedAsAProfile", "a.xplane.pb", xla::SmallHlo(), "hlo"},
      {"LargeModule", "a",
       xla::Hlo(xla::Module("m", 0, std::string(100000, 'c')),
                xla::SmallAssignment()),
       "hlo"},
      {"ModuleByItsName", "b.hlo.pb.gz",
       xla::Hlo(xla::Module(long_name, 0), xla::SmallAssignment()), "hlo"},
      {"ControlCharacterInTheName", "a.hlo.pb",
       xla::Hlo(xla::Module("m\x01", 0), xla::SmallAssignment()), "hlo"},
      {"ControlCharacterInTheNameOfAnOnnxModel", "a.onnx",
       xla::Number(1, 8) + xla::Bytes(2, "py\x01torch") + xla::Bytes(7, node),
       "onnx"},
      {"AssignmentFirst", "a",
       xla::Bytes(3, xla::SmallAssignment().Text()) +
           xla::Bytes(1, xla::Module("m", 0)),
       "hlo"},
      {"TensorFlowGraph", "a.pb", xla::Bytes(1, node) + xla::Bytes(1, node),
       ""},
      {"Onnx", "a.pb",
       xla::Number(1, 8) + xla::Bytes(2, "pytorch") + xla::Bytes(7, node), ""},
      {"CoreMl", "a.pb",
       xla::Number(1, 4) + xla::Bytes(2, xla::Bytes(1, feature)), ""},
      {"Descriptors", "a.pb",
       xla::Bytes(1, xla::Bytes(1, "a.proto") + xla::Bytes(2, "a") +
                         xla::Bytes(3, "google/protobuf/any.proto")),
       ""},
      {"Text", "a", "\n\nid,lower,upper,size\na,0,1,4\n", ""},
      {"TextOfAProfile", "a.xplane.pb", "planes { name: \"/host:CPU\" }\n", ""},
      {"Nothing", "a.hlo.pb", "", ""},
      {"Zeros", "a.hlo.pb", std::string(4096, '\0'), ""},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, XlaDetectionTest,
                         testing::ValuesIn(XlaDetectionCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace stowage
