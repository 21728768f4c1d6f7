/** How much of what rivals are known to do they do here. */
@NullMarked
package io.verbena.bench.goal;

import org.jspecify.annotations.NullMarked;
