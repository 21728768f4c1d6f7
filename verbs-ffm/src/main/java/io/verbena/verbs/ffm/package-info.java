/** A DiSNI RdmaProvider in pure Java over libibverbs and librdmacm. */
@NullMarked
package io.verbena.verbs.ffm;

import org.jspecify.annotations.NullMarked;
