/**
 * The buffers that messages are encoded in, and how sessions share memory ({@link
 * io.verbena.link.memory.Quota}). A slot belongs to exactly one holder at a time: the caller that
 * encodes, then the session until the peer has acknowledged it, then its pool again; a link may
 * hold it in between.
 */
@NullMarked
package io.verbena.link.memory;

import org.jspecify.annotations.NullMarked;
