/**
 * Encodes values into the slot that carries them, and decodes them. It owns the format of numbers,
 * strings and records, and every limit on memory that a peer's bytes can make this process
 * allocate.
 *
 * <p>Encoders are called on the thread that makes a call or answers it, decoders on the thread that
 * dispatches or completes it. An instance serves one thread at a time and is reused.
 */
@NullMarked
package io.verbena.codec;

import org.jspecify.annotations.NullMarked;
