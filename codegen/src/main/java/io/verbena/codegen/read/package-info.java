/**
 * Reads javac's elements and types into the model. An error is reported and reading continues, so
 * that one compilation shows every error.
 */
@NullMarked
package io.verbena.codegen.read;

import org.jspecify.annotations.NullMarked;
