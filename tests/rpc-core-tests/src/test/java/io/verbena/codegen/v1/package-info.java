/** A contract as an older peer has it. */
@NullMarked
package io.verbena.codegen.v1;

import org.jspecify.annotations.NullMarked;
