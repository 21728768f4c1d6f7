/** The complete session: a pipe, with all the participants that use it. */
@NullMarked
package io.verbena.core.user;

import org.jspecify.annotations.NullMarked;
