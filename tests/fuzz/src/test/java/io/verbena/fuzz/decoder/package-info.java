/** The decoders that the fuzzer is let loose on, and what each has to keep to. */
@NullMarked
package io.verbena.fuzz.decoder;

import org.jspecify.annotations.NullMarked;
