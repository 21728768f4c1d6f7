/**
 * Exactly-once delivery in order within a session, over one link after another. Sent messages are
 * numbered and kept until the peer has acknowledged them. Received frames are checked and
 * assembled. Everything here belongs to the session's event loop.
 */
@NullMarked
package io.verbena.core.sequence;

import org.jspecify.annotations.NullMarked;
