/**
 * Completion queues and their channels.
 *
 * <p>Called by applications on any thread; a block belongs to one thread at a time.
 */
@NullMarked
package io.verbena.verbs.ffm.cq;

import org.jspecify.annotations.NullMarked;
