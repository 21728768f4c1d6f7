/**
 * The functions of libibverbs.so.1, librdmacm.so.1 and the C library, one constant or method each.
 *
 * <p>Owns the loaded libraries; knows nothing of lifetimes: a caller hands in pointers that are
 * alive. Any thread. A class here fails to initialise where its library is missing, so {@code
 * Availability} asks first.
 */
@NullMarked
package io.verbena.verbs.ffm.lib;

import org.jspecify.annotations.NullMarked;
