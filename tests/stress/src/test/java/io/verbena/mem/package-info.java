/** What is the package's own, under stress. */
@NullMarked
package io.verbena.mem;

import org.jspecify.annotations.NullMarked;
