/** Channels over stepped servers, and over real ones. */
@NullMarked
package io.verbena.channel;

import org.jspecify.annotations.NullMarked;
