/**
 * Values to bytes and back, straight in the slot that carries them. Owns the format of numbers,
 * strings and records, and every limit on what a peer's bytes can make this process allocate.
 *
 * <p>Encoders are called on the thread that makes a call or answers it, decoders on the thread that
 * dispatches or completes it; an instance serves one thread at a time and is reused.
 */
@NullMarked
package io.verbena.codec;

import org.jspecify.annotations.NullMarked;
