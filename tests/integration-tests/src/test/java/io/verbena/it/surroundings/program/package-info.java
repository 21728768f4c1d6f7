/**
 * The small program, which knows nothing of the tests, so that it can be put into jars and modules.
 */
@NullMarked
package io.verbena.it.surroundings.program;

import org.jspecify.annotations.NullMarked;
