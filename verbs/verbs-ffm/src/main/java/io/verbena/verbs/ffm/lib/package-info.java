/**
 * The functions of libibverbs.so.1, librdmacm.so.1 and the C library, one constant or method each.
 *
 * <p>The package owns the loaded libraries. It does not check lifetimes; callers pass valid
 * pointers. Safe for use by any thread. A class of this package fails to initialise if its library
 * is missing, so {@code Prerequisites} checks the libraries first.
 */
@NullMarked
package io.verbena.verbs.ffm.lib;

import org.jspecify.annotations.NullMarked;
