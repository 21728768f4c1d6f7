/** A server that is offered more than it can do, with a limit and without. */
@NullMarked
package io.verbena.bench.overload;

import org.jspecify.annotations.NullMarked;
