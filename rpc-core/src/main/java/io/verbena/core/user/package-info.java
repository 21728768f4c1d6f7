/** The session as its users have it: a pipe, and all that lies on it. */
@NullMarked
package io.verbena.core.user;

import org.jspecify.annotations.NullMarked;
