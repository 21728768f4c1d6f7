/**
 * The fuzzer's ground: which decoders there are, what each has to keep to, and how inputs are
 * stored. {@link io.verbena.fuzz.CorpusTest} takes every stored input again; {@link
 * io.verbena.fuzz.FuzzTest} looks for more in a JVM of the fuzzer's own.
 */
@NullMarked
package io.verbena.fuzz;

import org.jspecify.annotations.NullMarked;
