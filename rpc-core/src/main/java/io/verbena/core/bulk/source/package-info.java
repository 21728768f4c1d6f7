/**
 * Objects as they are read: what a user named as a source, opened, and those that are published.
 * Opened by the user's thread, read by whoever {@link io.verbena.core.bulk.work.RunOn} says.
 */
@NullMarked
package io.verbena.core.bulk.source;

import org.jspecify.annotations.NullMarked;
