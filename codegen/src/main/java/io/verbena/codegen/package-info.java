/** The annotation processor: from an interface to stubs, dispatcher and serializers. */
@NullMarked
package io.verbena.codegen;

import org.jspecify.annotations.NullMarked;
