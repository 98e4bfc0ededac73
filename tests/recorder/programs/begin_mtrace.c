/* SPDX-License-Identifier: Apache-2.0 */
/* A library for LD_PRELOAD that turns on the trace of glibc (mtrace), as an
 * oracle for tests of the recorder. It needs libc_malloc_debug.so.0, too. */
#include <mcheck.h>

__attribute__((constructor)) static void BeginTrace(void) { mtrace(); }
