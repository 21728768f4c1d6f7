/** What travels between two ends of a session: the frame's layout and the frames that open one. */
@NullMarked
package io.verbena.core.frame;

import org.jspecify.annotations.NullMarked;
