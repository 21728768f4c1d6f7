/**
 * Serializers by Kryo, for types that the annotation processor cannot take apart: classes of other
 * libraries, graphs with cycles, open hierarchies. {@link io.verbena.codec.kryo.KryoSerializer} is
 * all that users see.
 *
 * <p>What is read comes from a peer. Kryo checks no length and would load any class that is named;
 * the rest of this package is what stands before it. A {@code Codec}, one Kryo with its buffer, is
 * used by one thread at a time and waits in its serializer's pool meanwhile; whichever thread
 * encodes or decodes takes one.
 */
@NullMarked
package io.verbena.codec.kryo;

import org.jspecify.annotations.NullMarked;
