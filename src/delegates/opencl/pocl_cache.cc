// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/pocl_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace stowage::harness::opencl {
namespace {

namespace fs = std::filesystem;

constexpr char kPocl[] = "Portable Computing Language";

// Returns the value of an environment variable, or an empty string if the
// variable is not set.
std::string Variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

// Returns the folder of the cache, which is chosen by the same rules as in
// PoCL.
fs::path Folder() {
  if (const std::string own = Variable("POCL_CACHE_DIR"); !own.empty()) {
    return own;
  }
  fs::path caches = Variable("XDG_CACHE_HOME");
  if (caches.empty()) {
    const std::string home = Variable("HOME");
    caches = home.empty() ? fs::path("/tmp") : fs::path(home) / ".cache";
  }
  return caches / "pocl" / "kcache";
}

std::error_code LastError() { return {errno, std::generic_category()}; }

// Writes some bytes to a new file in `folder`. The bytes are necessary because
// an empty file can be created even if the file system is full.
std::error_code WriteTrial(const fs::path& folder) {
  std::string path = (folder / "stowage_trial_XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return LastError();
  const std::string bytes(4096, 'x');
  std::error_code error;
  const ssize_t written = write(file, bytes.data(), bytes.size());
  if (written < 0) {
    error = LastError();
  } else if (static_cast<size_t>(written) < bytes.size()) {
    error = std::make_error_code(std::errc::no_space_on_device);
  }
  close(file);
  unlink(path.c_str());
  return error;
}

bool IsPocl(cl_platform_id platform) {
  char name[sizeof(kPocl)] = "";
  const cl_int code = clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                        sizeof(name), name, nullptr);
  return code == CL_SUCCESS && std::string(name) == kPocl;
}

}  // namespace

std::string PoclCacheProblem(cl_platform_id platform) {
  if (!IsPocl(platform)) return "";
  const fs::path folder = Folder();
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) error = WriteTrial(folder);
  if (!error) return "";
  return absl::StrCat("PoCL cannot write its kernel cache '", folder.string(),
                      "': ", error.message());
}

}  // namespace stowage::harness::opencl
