/**
 * The buffers for encoded messages, and the memory that sessions share ({@link
 * io.verbena.link.memory.Quota}). A slot has exactly one owner at a time: first the caller that
 * encodes, then the session until the peer has acknowledged it, then its pool again. A link may
 * hold it in between.
 */
@NullMarked
package io.verbena.link.memory;

import org.jspecify.annotations.NullMarked;
