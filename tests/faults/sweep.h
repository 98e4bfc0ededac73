// SPDX-License-Identifier: Apache-2.0
// Runs the command with a fault. Each run has a separate process and folder.
#ifndef STOWAGE_TESTS_FAULTS_SWEEP_H_
#define STOWAGE_TESTS_FAULTS_SWEEP_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/faults.h"
#include "tests/support/temp_folder.h"

namespace stowage::faults {

// Holds the result of a run of the command.
struct Ending {
  int exit_code = 0;  // 128 + the signal that ended it
  uint64_t calls = 0;
  uint64_t failed = 0;
  // The numbers of memory blocks and open files that are left, if the command
  // has ended by itself. After WarmUp there should be none.
  int64_t leaked_blocks = 0;
  int64_t leaked_descriptors = 0;
  std::string out;
  std::string err;
  // The contents of the files in the folder by path. An empty folder has a path
  // that ends with a slash, and no content.
  std::map<std::string, std::string> files;
};

class SweepTest : public TempFolderTest {
 protected:
  // Runs the command once in a separate folder. Everything that is allocated
  // only once then exists, and does not look like a leak in later runs.
  void WarmUp(const std::vector<std::string>& arguments,
              const std::map<std::string, std::string>& files) const;

  // Runs `stowage ARGUMENTS` in a folder that has `files` at the beginning. The
  // command makes its temporary files in the subfolder tmp.
  Ending Run(const std::vector<std::string>& arguments,
             const std::map<std::string, std::string>& files,
             const Fault& fault) const;

 private:
  std::string MakeFolder(const std::string& folder,
                         const std::map<std::string, std::string>& files) const;
};

// Returns the numbers of the calls that must fail if the command makes `calls`
// calls: all numbers if there are few, otherwise the first and the last ones
// and some in between.
std::vector<uint64_t> Sweep(uint64_t calls);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_SWEEP_H_
