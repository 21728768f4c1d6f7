/**
 * The annotation processor. javac calls it for each {@code @RpcService} interface; it reads the
 * contract into a model, validates the model, and writes one class. Nothing is kept from one
 * contract to the next, so that incremental builds may run it for one alone.
 */
@NullMarked
package io.verbena.codegen;

import org.jspecify.annotations.NullMarked;
