/** The fuzzer's way to what is the package's own. */
@NullMarked
package io.verbena.shm;

import org.jspecify.annotations.NullMarked;
