/**
 * What a contract says, as immutable values: made by the reader, checked by the validator, and all
 * that the writer sees.
 */
@NullMarked
package io.verbena.codegen.model;

import org.jspecify.annotations.NullMarked;
