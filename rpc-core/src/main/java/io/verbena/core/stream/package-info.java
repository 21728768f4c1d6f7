/** Streams among the arguments and results of calls: their items are asked for by calls. */
@NullMarked
package io.verbena.core.stream;

import org.jspecify.annotations.NullMarked;
