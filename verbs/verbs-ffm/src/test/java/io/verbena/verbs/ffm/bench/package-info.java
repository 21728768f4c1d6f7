/**
 * Measures the provider beside perftest's C programs; the script {@code verbs/verbs-ffm/bench} runs
 * it.
 *
 * <p>Two processes, one thread each, pure polling. Not a test: it asserts nothing.
 */
@NullMarked
package io.verbena.verbs.ffm.bench;

import org.jspecify.annotations.NullMarked;
