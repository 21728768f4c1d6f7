/**
 * The frames between the two ends of a session: their layout, and the bodies of those that open a
 * session.
 */
@NullMarked
package io.verbena.core.frame;

import org.jspecify.annotations.NullMarked;
