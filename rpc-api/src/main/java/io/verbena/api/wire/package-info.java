/**
 * The interface to write values to a message and to read them. Serializers use it, both generated
 * ones and users' own.
 */
@NullMarked
package io.verbena.api.wire;

import org.jspecify.annotations.NullMarked;
