/** Streams among the arguments and results of calls. Calls request their items. */
@NullMarked
package io.verbena.core.stream;

import org.jspecify.annotations.NullMarked;
