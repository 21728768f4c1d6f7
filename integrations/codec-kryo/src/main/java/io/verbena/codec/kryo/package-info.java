/**
 * Serializers by Kryo, for types that the annotation processor cannot handle: classes of other
 * libraries, graphs with cycles, open hierarchies. Users need only {@link
 * io.verbena.codec.kryo.KryoSerializer}.
 *
 * <p>The bytes come from a peer. Kryo checks no length, and would load any class that is named; the
 * rest of this package guards against that. A {@code Codec}, one Kryo with its buffer, is used by
 * one thread at a time. Each thread that encodes or decodes takes one from the pool of its
 * serializer.
 */
@NullMarked
package io.verbena.codec.kryo;

import org.jspecify.annotations.NullMarked;
