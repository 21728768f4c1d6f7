/**
 * The lifetimes of native objects, and waits for their events.
 *
 * <p>The package owns the guards that turn a use after close into an exception, and the waits for
 * file descriptors. Every object of this provider has a {@code Lifetime}. Safe for use by any
 * thread.
 */
@NullMarked
package io.verbena.verbs.ffm.life;

import org.jspecify.annotations.NullMarked;
