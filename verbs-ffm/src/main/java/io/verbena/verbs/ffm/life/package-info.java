/**
 * How native objects live and die, and how their events are waited for.
 *
 * <p>Owns the guards that turn use after close into an exception, and the waiting for file
 * descriptors. Every object of this provider has a {@code Lifetime}. Any thread.
 */
@NullMarked
package io.verbena.verbs.ffm.life;

import org.jspecify.annotations.NullMarked;
