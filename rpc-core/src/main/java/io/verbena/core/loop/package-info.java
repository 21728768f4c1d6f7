/**
 * The event loop: one thread that owns sessions, links and timers, and steps them in duty cycles.
 * Other threads hand it commands. A blocking caller may step it for a while, by its {@link
 * io.verbena.core.loop.Helm}.
 */
@NullMarked
package io.verbena.core.loop;

import org.jspecify.annotations.NullMarked;
