// SPDX-License-Identifier: Apache-2.0
// Tests which options, kernels and devices are rejected, and with which
// messages.
#include "src/delegates/opencl/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/kernel_sources.h"
#include "src/delegates/opencl/shared_memory.h"
#include "stowage/harness/delegates.h"
#include "tests/delegates/opencl/opencl_calls.h"

namespace stowage::harness::opencl {
namespace {

using ::testing::HasSubstr;

TEST(OpenclOptions, AreCheckedByName) {
  for (const auto* text : {"memory=images", "handles=1", "speed=2"}) {
    const auto delegate = CreateDelegate(absl::StrCat("opencl:", text));
    EXPECT_EQ(delegate.status().code(), absl::StatusCode::kInvalidArgument)
        << delegate.status();
  }
}

TEST(OpenclDevice, OfANumberBeyondTheLastIsRefused) {
  if (!FindDevices().ok()) GTEST_SKIP() << FindDevices().status();
  const auto delegate = CreateDelegate("opencl:device=1000");
  EXPECT_EQ(delegate.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(delegate.status().message(),
              HasSubstr("device 1000: does not exist; expected 0 to "));
}

TEST(OpenclDevice, CompilesEveryKernelOnce) {
  if (!FindDevices().ok()) GTEST_SKIP() << FindDevices().status();
  const auto device = Device::Open(0);
  ASSERT_TRUE(device.ok()) << device.status();
  const std::set<std::string> kernels = {"conv_2d_int8", "conv_2d_uint8",
                                         "softmax_int8", "softmax_uint8",
                                         "mean_float"};
  EXPECT_TRUE((*device)->Compile(kernels).ok());
  EXPECT_TRUE((*device)->Compile({"conv_2d_int8"}).ok());
  for (const std::string& name : kernels) {
    EXPECT_TRUE((*device)->NewKernel(name).ok());
  }
  EXPECT_EQ((*device)->NewKernel("pad_int8").status().code(),
            absl::StatusCode::kInternal);
  for (const auto* name : {"pad", "pad_int16", "nothing_float"}) {
    EXPECT_EQ((*device)->Compile({name}).code(), absl::StatusCode::kInternal);
  }
}

TEST(OpenclDevice, TellsTheErrorOfItsCompiler) {
  if (!FindDevices().ok()) GTEST_SKIP() << FindDevices().status();
  const auto device = Device::Open(0);
  ASSERT_TRUE(device.ok()) << device.status();
  const absl::Status status = (*device)->CompileSource(
      "__kernel void f(__global int* x) { *x = missing; }", {"f"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("missing"));
  EXPECT_THAT(status.message(), HasSubstr("; expected a compiler"));
}

TEST(SharedMemory, HasWhatTheLargestNeeds) {
  if (!FindDevices().ok()) GTEST_SKIP() << FindDevices().status();
  const auto device = Device::Open(0);
  ASSERT_TRUE(device.ok()) << device.status();
  SharedMemory memory(device->get());
  EXPECT_TRUE(memory.Allocate().ok());
  EXPECT_EQ(memory.generation(), 0);
  const int first = memory.Reserve({500, 100});
  const int second = memory.Reserve({400, 300, 200});
  ASSERT_TRUE(memory.Allocate().ok());
  EXPECT_EQ(memory.total_bytes(), 500 + 300 + 200);
  const uint64_t generation = memory.generation();
  memory.Release(first);
  ASSERT_TRUE(memory.Allocate().ok());
  EXPECT_EQ(memory.generation(), generation);
  memory.Release(second);
  EXPECT_EQ(memory.total_bytes(), 0);
}

TEST(SharedMemory, IsThereAgainAfterOneWasTooLarge) {
  if (!FindDevices().ok()) GTEST_SKIP() << FindDevices().status();
  const auto device = Device::Open(0);
  ASSERT_TRUE(device.ok()) << device.status();
  SharedMemory memory(device->get());
  const int first = memory.Reserve({500});
  ASSERT_TRUE(memory.Allocate().ok());
  const uint64_t generation = memory.generation();
  const int second = memory.Reserve({600});
  Calls() = {};
  Calls().failing_buffer = 1;
  EXPECT_EQ(memory.Allocate().code(), absl::StatusCode::kResourceExhausted);
  memory.Release(second);
  ASSERT_TRUE(memory.Allocate().ok());
  EXPECT_NE(memory.generation(), generation);
  EXPECT_EQ(memory.total_bytes(), 500);
  EXPECT_NE(memory.buffer(0), nullptr);
  memory.Release(first);
}

TEST(OpenclCall, ErrorsNameTheCallAndTheCode) {
  EXPECT_TRUE(CheckCall("clFinish", CL_SUCCESS).ok());
  EXPECT_EQ(CheckCall("clCreateBuffer", CL_INVALID_BUFFER_SIZE),
            absl::ResourceExhaustedError("clCreateBuffer: it returned -61 "
                                         "(CL_INVALID_BUFFER_SIZE); expected "
                                         "0"));
  EXPECT_EQ(CheckCall("clFinish", -9999),
            absl::InternalError("clFinish: it returned -9999; expected 0"));
}

// Prints the status of the delegate's check and the status of creating the
// delegate. Runs in a separate process, because drivers read their environment
// only once.
[[noreturn]] void PrintCheckAndExit() {
  for (const DelegateRegistration& delegate : AllDelegates()) {
    if (delegate.name != "opencl") continue;
    std::cerr << delegate.check() << "\n"
              << CreateDelegate("opencl").status() << "\n";
  }
  std::_Exit(0);
}

// Compiles a valid program. Also runs in a separate process.
[[noreturn]] void CompileAndExit() {
  const auto device = Device::Open(0);
  std::cerr << (device.ok()
                    ? (*device)->CompileSource("__kernel void f() {}", {"f"})
                    : device.status())
            << "\n";
  std::_Exit(0);
}

constexpr char kPocl[] = "/etc/OpenCL/vendors/pocl.icd";

class MissingOpencl : public testing::Test {
 protected:
  MissingOpencl() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread
  ~MissingOpencl() override {
    for (const auto& [name, value] : before_) {
      if (value) {
        setenv(name.c_str(), value->c_str(), 1);
      } else {
        unsetenv(name.c_str());
      }
    }
  }

  // Sets an environment variable until the end of the test, or unsets it if
  // there is no value.
  void Set(const std::string& name, const absl::optional<std::string>& value) {
    const char* const before = std::getenv(name.c_str());
    before_.emplace(name, before == nullptr
                              ? absl::nullopt
                              : absl::optional<std::string>(before));
    if (value) {
      setenv(name.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name.c_str());
    }
  }
  // NOLINTEND(concurrency-mt-unsafe)

 private:
  std::map<std::string, absl::optional<std::string>> before_;
};

TEST_F(MissingOpencl, PlatformIsUnavailable) {
  Set("OCL_ICD_VENDORS", "/no/folder");
  EXPECT_EXIT(PrintCheckAndExit(), testing::ExitedWithCode(0),
              "UNAVAILABLE: OpenCL: there is no platform; expected an .*\n"
              "UNAVAILABLE: delegate 'opencl': OpenCL: there is no platform");
}

TEST_F(MissingOpencl, DeviceIsUnavailable) {
  if (!std::ifstream(kPocl)) GTEST_SKIP() << kPocl << " is not there";
  Set("OCL_ICD_VENDORS", kPocl);
  Set("POCL_DEVICES", "");
  EXPECT_EXIT(PrintCheckAndExit(), testing::ExitedWithCode(0),
              "UNAVAILABLE: OpenCL: 1 platform has no device; expected one");
}

// No folder can be created in /proc, and no file in /sys.
TEST_F(MissingOpencl, KernelCacheCannotBeMade) {
  if (!std::ifstream(kPocl)) GTEST_SKIP() << kPocl << " is not there";
  Set("OCL_ICD_VENDORS", kPocl);
  Set("POCL_CACHE_DIR", "/proc/nowhere");
  EXPECT_EXIT(PrintCheckAndExit(), testing::ExitedWithCode(0),
              "UNAVAILABLE: OpenCL: 1 platform has no device, and PoCL cannot "
              "write its kernel cache '/proc/nowhere': No such file or "
              "directory; expected a folder that can be written");
  Set("POCL_CACHE_DIR", absl::nullopt);
  Set("XDG_CACHE_HOME", absl::nullopt);
  Set("HOME", "/proc/nobody");
  EXPECT_EXIT(PrintCheckAndExit(), testing::ExitedWithCode(0),
              "its kernel cache '/proc/nobody/.cache/pocl/kcache': No such");
  Set("XDG_CACHE_HOME", "/proc/caches");
  EXPECT_EXIT(PrintCheckAndExit(), testing::ExitedWithCode(0),
              "its kernel cache '/proc/caches/pocl/kcache': No such");
}

TEST_F(MissingOpencl, KernelCacheCannotBeWritten) {
  if (!std::ifstream(kPocl)) GTEST_SKIP() << kPocl << " is not there";
  Set("OCL_ICD_VENDORS", kPocl);
  Set("POCL_CACHE_DIR", "/sys/kernel");
  EXPECT_EXIT(CompileAndExit(), testing::ExitedWithCode(0),
              "UNAVAILABLE: OpenCL kernels: cannot be compiled: PoCL cannot "
              "write its kernel cache '/sys/kernel': .*; expected a folder");
  Set("POCL_CACHE_DIR", testing::TempDir());
  EXPECT_EXIT(CompileAndExit(), testing::ExitedWithCode(0), "^OK\n");
}

}  // namespace
}  // namespace stowage::harness::opencl
