/**
 * Calls on both sides. A call begins and ends on its session's event loop; between them a caller
 * encodes on its own thread, and a handler runs on the executor.
 */
@NullMarked
package io.verbena.core.call;

import org.jspecify.annotations.NullMarked;
