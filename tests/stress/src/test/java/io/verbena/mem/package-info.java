/** State that only the package sees, under stress. */
@NullMarked
package io.verbena.mem;

import org.jspecify.annotations.NullMarked;
