/**
 * Completion queues and their channels.
 *
 * <p>Applications call the package on any thread. A block belongs to one thread at a time.
 */
@NullMarked
package io.verbena.verbs.ffm.cq;

import org.jspecify.annotations.NullMarked;
