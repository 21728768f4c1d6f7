/** Tests of what every way of observing calls shares. */
@NullMarked
package io.verbena.observe;

import org.jspecify.annotations.NullMarked;
