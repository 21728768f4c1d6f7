/**
 * From javac's elements and types to the model. What cannot be modelled is reported, and reading
 * goes on, so that one compilation shows every mistake.
 */
@NullMarked
package io.verbena.codegen.read;

import org.jspecify.annotations.NullMarked;
