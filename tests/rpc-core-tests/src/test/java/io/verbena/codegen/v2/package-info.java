/** The contract of v1 after it has grown. */
@NullMarked
package io.verbena.codegen.v2;

import org.jspecify.annotations.NullMarked;
