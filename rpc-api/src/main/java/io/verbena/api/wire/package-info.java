/**
 * How values are written to and read from a message. Generated serializers and users' own use it.
 */
@NullMarked
package io.verbena.api.wire;

import org.jspecify.annotations.NullMarked;
