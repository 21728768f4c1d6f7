/**
 * The annotation processor. javac calls it for each {@code @RpcService} interface. It reads the
 * contract into a model, validates the model, and writes one class. No state is kept from one
 * contract to the next, so incremental builds may process a single one.
 */
@NullMarked
package io.verbena.codegen;

import org.jspecify.annotations.NullMarked;
