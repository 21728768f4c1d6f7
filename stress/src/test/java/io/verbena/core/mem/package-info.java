/** What is the package's own, under stress. */
@NullMarked
package io.verbena.core.mem;

import org.jspecify.annotations.NullMarked;
