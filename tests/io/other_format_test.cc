// SPDX-License-Identifier: Apache-2.0
// Tests which files the reader identifies as files of other formats, and which
// files it never identifies as other formats.

#include "stowage/io/other_format.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using testing::HasSubstr;

// Returns the bytes of a literal, including its NUL bytes.
template <size_t kSize>
std::string BytesOf(const char (&literal)[kSize]) {
  return std::string(literal, kSize - 1);
}

struct OtherFormatCase {
  const char* name;
  std::string start;
  const char* format;  // part of the format's name; empty for no format
};

std::vector<OtherFormatCase> OtherFormatCases() {
  return {
      {"OnnxOfPyTorch",
       BytesOf("\x08\x07\x12\x07pytorch\x1a\x05"
               "2.1.0"),
       "ONNX"},
      {"OnnxWithoutProducer", BytesOf("\x08\x03\x3a\x90\x12\x0a\x05"), "ONNX"},
      {"OnnxWithDocument",
       BytesOf("\x08\x0a\x12\x00\x1a\x00\x22\x00\x28\x00"
               "\x32\x03"
               "a\nb"
               "\x3a\x84\x01"),
       "ONNX"},
      {"OnnxOpsetsFirst", BytesOf("\x08\x08\x42\x02\x10\x11\x3a\x7f\x0a"),
       "ONNX"},
      {"OnnxCutInAName", BytesOf("\x08\x07\x12\x40producer"), "ONNX"},
      {"OnnxCutInATag", BytesOf("\x08\x07\x12\x01x\x1a"), "ONNX"},
      {"OnnxOfVersion0", BytesOf("\x08\x00\x12\x07pytorch"), ""},
      {"OnnxOfVersion21", BytesOf("\x08\x15\x12\x07pytorch"), ""},
      {"OnnxVersionAlone", BytesOf("\x08\x07"), ""},
      {"OnnxProducerFirst",
       BytesOf("\x12\x07pytorch\x1a\x05"
               "2.1.0\x08\x07"),
       "ONNX"},
      {"OnnxDomainFirst",
       BytesOf("\"\x07"
               "ai.onnx\x08\x0a:\x20\x0a"),
       "ONNX"},
      {"OnnxOpsetFirst", BytesOf("B\x04\x0a\x00\x10\x0d\x08\x07"), "ONNX"},
      {"OnnxGraphFirst",
       BytesOf(":\x90\x12\x0a\x2b\x0a\x01x\x12\x01y\"\x04"
               "Conv"),
       "ONNX"},
      {"OnnxVersionOfModelFirst",
       BytesOf("(\x01\x08\x07:\x90\x12\x0a\x2b\x0a\x01x"), "ONNX"},
      {"OnnxPropertiesFirst", BytesOf("r\x06\x0a\x01k\x12\x01v\x08\x07"),
       "ONNX"},
      {"OnnxOfOtherGraphs", BytesOf(":\x05\x08\x01\x08\x01\x08\x08\x07"), ""},
      {"SavedModel", BytesOf("\x08\x01\x12\x20\x0a\x1e\x12\x05serve"),
       "TensorFlow SavedModel"},
      {"SavedModelWithTags",
       BytesOf("\x08\x01\x12\xd2\x10\x0a\x20\"\x05serve*\x06"
               "2.15.0"),
       "TensorFlow SavedModel"},
      {"FrozenGraph",
       BytesOf("\x0a\x2a\x0a\x05input\x12\x0bPlaceholder*\x0b\x0a\x05"
               "dtype"),
       "graph of TensorFlow"},
      {"CoreMl", BytesOf("\x08\x04\x12\x08\x0a\x06\x0a\x01x"), "Core ML"},
      {"CoreMlOfVersion1",
       BytesOf("\x08\x01\x12\x40\x0a\x10\x0a\x05image\x1a\x07\"\x05\x08"),
       "Core ML"},
      {"UnknownField", BytesOf("\x08\x07\x4a\x01x"), ""},
      {"NumberForAName", BytesOf("\x08\x07\x10\x01\x10\x01"), ""},
      {"ExecuTorch", BytesOf("\x20\0\0\0ET12\0\0\0\0"), "ExecuTorch"},
      {"ExecuTorchOfAnotherVersion", BytesOf("\x20\0\0\0ET14"), "ExecuTorch"},
      {"BundledProgram", BytesOf("\x20\0\0\0BP08"), "bundled"},
      {"Circle", BytesOf("\x18\0\0\0CIR0"), "Circle"},
      {"OnnxRuntime", BytesOf("\x18\0\0\0ORTM"), "ONNX Runtime"},
      {"Gguf", BytesOf("GGUF\x03\0\0\0"), "GGUF"},
      {"GgufBigEndian", BytesOf("GGUF\0\0\0\x03"), "GGUF"},
      {"LiteRtLm", BytesOf("LITERTLM\x01\0\0\0"), "LiteRT-LM"},
      {"Zip", BytesOf("PK\x03\x04\x14\0"), ".task"},
      {"EmptyZip", BytesOf("PK\x05\x06\0\0"), "ZIP"},
      {"Gzip", BytesOf("\x1f\x8b\x08\0"), "gzip"},
      {"Zstd", BytesOf("\x28\xb5\x2f\xfd\x04"), "zstd"},
      {"Xz",
       BytesOf("\xfd"
               "7zXZ\0"),
       "xz"},
      {"Pickle2", BytesOf("\x80\x02}q\0"), "pickle"},
      {"Pickle5", BytesOf("\x80\x05\x95"), "pickle"},
      {"Pickle0OfADictionary", "(dp0\nVa\np1\nI1\ns.", "pickle"},
      {"Pickle0OfAList", "(lp0\nI1\naI2\na.", "pickle"},
      {"Pickle0OfPython2", "(dp1\nS'a'\np2\nI1\ns.", "pickle"},
      {"Pickle0OfAnObject",
       "cnumpy.core.multiarray\n_reconstruct\np0\n(cnumpy\n", "pickle"},
      {"Pickle1OfADictionary", BytesOf("}q\0X\x01\0\0\0aq\x01K\x01s."),
       "pickle"},
      {"Pickle1OfAList",
       BytesOf("]q\0(K\x01K\x02"
               "e."),
       "pickle"},
      {"Pickle1OfAnObject", BytesOf("c__builtin__\nset\nq\0(]q\x01"), "pickle"},
      {"PickleOfNoProtocol", BytesOf("\x80\x09"), ""},
      {"Safetensors", BytesOf("\x48\0\0\0\0\0\0\0{\"a\""), "safetensors"},
      {"Keras", BytesOf("\x89HDF\r\n\x1a\n"), "HDF5"},
      {"NumPy", BytesOf("\x93NUMPY\x01\0"), "NumPy"},
      {"Tar",
       "model/" + std::string(94, '\0') + std::string(157, '0') +
           BytesOf("ustar\0"
                   "00"),
       "tar"},
      {"Bzip2", "BZh91AY&SY\x8e", "bzip2"},
      {"Lz4", BytesOf("\x04\x22\x4d\x18\x64"), "lz4"},
      {"SevenZip", BytesOf("7z\xbc\xaf\x27\x1c\0\x04"), "7z"},
      {"Program", BytesOf("\x7f\x45LF\x02\x01\x01\0"), "ELF"},
      {"Png", BytesOf("\x89PNG\r\n\x1a\n"), "PNG"},
      {"Jpeg", BytesOf("\xff\xd8\xff\xe0\0\x10JFIF"), "JPEG"},
      {"Pdf", "%PDF-1.7\n", "PDF"},
      {"TorchScript",
       BytesOf("PK\x03\x04\0\0\x08\x08\0\0"
               "archive/data.pkl"),
       ".pt"},
      {"WebPage", "<!DOCTYPE html>\n", "web page"},
      {"GitLfs", "version https://git-lfs.github.com/spec/v1\n", "Git LFS"},
      {"Utf16", BytesOf("\xff\xfei\0d\0,\0"), "UTF-16"},
      {"TensorFlowLite", BytesOf("\x1c\0\0\0TFL3"), ""},
      {"Nothing", "", ""},
      {"Csv", "id,lower,upper,size\na,0,1,4\n", ""},
      {"CsvWithIdentifier", "ids,ET12,lower,upper,size\n", ""},
      {"CsvOfGguf", "GGUF,id,lower,upper,size\n", ""},
      {"CsvOfPk", "PK,id,lower,upper,size\n", ""},
      {"CsvInAngles", "<id>,lower,upper,size\n", ""},
      {"CsvOfVersion", "version,id,lower,upper,size\n", ""},
      {"CsvOfBzip2", "BZh9,id,lower,upper,size\n", ""},
      {"CsvOfPdf", "%PDF-,id,lower,upper,size\n", ""},
      {"CsvOfTar",
       "id,lower,upper,size\n" + std::string(237, '#') + "ustar\na,0,1,4\n",
       ""},
      {"CsvOfPickle", "cid,lower,upper,size\nid\np0\n", ""},
      {"CsvInParentheses", "(dp0,lower,upper,size\n", ""},
      {"CsvAfterABlankLine", "\n\nid,lower,upper,size\n\n\na,0,1,4\n", ""},
      {"CsvBehindTabs", "\tid\tlower\tupper\tsize\n\ta\t0\t1\t4\n", ""},
      {"CsvAfterAComment", "# \x12\x05serve\nid,lower,upper,size\n", ""},
      {"CsvWithControlCharacters",
       BytesOf("\n(id\",\x08\x07,\x12\x01,lower,upper,size\n"), ""},
      {"ProblemAfterABlankLine", "\n\n{\n\n\"records\": []}", ""},
      {"List", "[\"q\"]", ""},
      {"TensorFlowLiteAtAnotherOffset", BytesOf("\x0a\0\0\0TFL3\x12\x01x"), ""},
      {"QuotedCsv", "\"id\",\"lower\",\"upper\",\"size\"\n", ""},
      {"Problem", "{\"records\": []}", ""},
  };
}

class OtherFormatTest : public testing::TestWithParam<OtherFormatCase> {};

TEST_P(OtherFormatTest, IsNamedWhereItIsKnown) {
  const absl::string_view format = OtherFormat(GetParam().start);
  if (*GetParam().format == '\0') {
    EXPECT_EQ(format, "");
  } else {
    EXPECT_THAT(std::string(format), HasSubstr(GetParam().format));
  }
}

INSTANTIATE_TEST_SUITE_P(All, OtherFormatTest,
                         testing::ValuesIn(OtherFormatCases()),
                         [](const auto& test) { return test.param.name; });

class CheckFormatTest : public TempFolderTest {};

TEST_F(CheckFormatTest, TheMessageSaysWhatIsRead) {
  EXPECT_EQ(ReadProblemFile(Write("a.onnx", "\x08\x07\x12\x07pytorch"))
                .status()
                .message(),
            Path("a.onnx") +
                ": it is an ONNX model; stowage reads traces (CSV), problems "
                "(JSON) and models of TensorFlow Lite (.tflite)");
}

}  // namespace
}  // namespace stowage
