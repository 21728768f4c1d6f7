/** Generated clients, dispatchers and serializers, run over the real codec. */
@NullMarked
package io.verbena.codegen;

import org.jspecify.annotations.NullMarked;
