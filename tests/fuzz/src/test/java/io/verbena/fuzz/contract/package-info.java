/** A contract that reaches every kind of type, and its schema as the wire tells it. */
@NullMarked
package io.verbena.fuzz.contract;

import org.jspecify.annotations.NullMarked;
