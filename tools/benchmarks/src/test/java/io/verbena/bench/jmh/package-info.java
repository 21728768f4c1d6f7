/**
 * The generated serializers beside Kryo's, measured by JMH. {@code docs/how-to/kryo.md} has the
 * command and the figures.
 */
@NullMarked
package io.verbena.bench.jmh;

import org.jspecify.annotations.NullMarked;
