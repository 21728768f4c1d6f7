/**
 * What single steps cost, measured by JMH: encoding and decoding, and a whole call without a
 * network. {@code docs/internals/performance-log.md} has the commands.
 */
@NullMarked
package io.verbena.bench.jmh;

import org.jspecify.annotations.NullMarked;
