/** Interceptors around calls and around handlers. */
@NullMarked
package io.verbena.core.intercept;

import org.jspecify.annotations.NullMarked;
