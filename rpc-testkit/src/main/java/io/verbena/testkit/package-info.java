/** Link contract suite, stepped clock and in-memory network for tests. */
@NullMarked
package io.verbena.testkit;

import org.jspecify.annotations.NullMarked;
