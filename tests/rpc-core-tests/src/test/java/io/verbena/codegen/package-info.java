/** Generated clients, dispatchers and serializers, run over the real codec. */
@NullMarked
package io.verbena.testkit.codegen;

import org.jspecify.annotations.NullMarked;
