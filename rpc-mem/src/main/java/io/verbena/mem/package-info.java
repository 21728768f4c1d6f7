/**
 * The in-memory link: frames pass through bounded rings between event loops of one JVM. It serves
 * tests and simulations, which step both ends in one thread, and programs whose client and server
 * share a process. A driver and its links are called by their loop's thread; an {@link
 * io.verbena.mem.InMemoryNetwork} by any.
 */
@NullMarked
package io.verbena.mem;

import org.jspecify.annotations.NullMarked;
