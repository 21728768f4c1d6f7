/**
 * Exactly-once, in-order delivery within a session, over one link after another: what is sent is
 * numbered and kept until the peer has acknowledged it, what arrives is checked and put together.
 * Everything here belongs to the session's event loop.
 */
@NullMarked
package io.verbena.core.sequence;

import org.jspecify.annotations.NullMarked;
