/**
 * The event loop: one thread that owns sessions, links and timers, and steps them in duty cycles.
 * Other threads hand it commands and touch nothing that it owns.
 */
@NullMarked
package io.verbena.core.loop;

import org.jspecify.annotations.NullMarked;
