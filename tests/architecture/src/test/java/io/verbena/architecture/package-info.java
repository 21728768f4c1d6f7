/** The house's plan, as tests: which room may know of which. Each rule says why it stands. */
@NullMarked
package io.verbena.architecture;

import org.jspecify.annotations.NullMarked;
