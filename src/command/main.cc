// SPDX-License-Identifier: Apache-2.0
#include "src/command/cli.h"

int main(int argc, char** argv) { return stowage::cli::Main(argc, argv); }
