/** Servers over TCP, and a channel that finds them: for the tests of ways to find them. */
@NullMarked
package io.verbena.channel.town;

import org.jspecify.annotations.NullMarked;
