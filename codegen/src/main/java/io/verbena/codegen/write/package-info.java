/** Writes source code from a valid model. Equal models have equal source code. */
@NullMarked
package io.verbena.codegen.write;

import org.jspecify.annotations.NullMarked;
