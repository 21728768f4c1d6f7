/**
 * The event loop: one thread that owns sessions, links and timers, and steps them in duty cycles.
 * Other threads only hand it commands.
 */
@NullMarked
package io.verbena.core.loop;

import org.jspecify.annotations.NullMarked;
