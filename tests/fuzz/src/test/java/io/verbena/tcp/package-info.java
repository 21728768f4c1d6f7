/** The fuzzer's way to what is the package's own. */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
