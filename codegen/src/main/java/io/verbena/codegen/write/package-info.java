/** From a valid model to source. The same model always becomes the same text. */
@NullMarked
package io.verbena.codegen.write;

import org.jspecify.annotations.NullMarked;
