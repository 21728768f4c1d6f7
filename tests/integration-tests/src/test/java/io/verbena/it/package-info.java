/** Whole programs over real sockets: what no single module can show by itself. */
@NullMarked
package io.verbena.it;

import org.jspecify.annotations.NullMarked;
