/**
 * The contents of a contract, as immutable values. The reader makes them, the validator checks
 * them, and the writer sees nothing else.
 */
@NullMarked
package io.verbena.codegen.model;

import org.jspecify.annotations.NullMarked;
