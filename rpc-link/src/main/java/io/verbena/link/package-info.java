/**
 * The seam between the core and the links that carry its frames. A link moves whole frames, in
 * order, and knows nothing of sessions or calls; the core names no link implementation. Everything
 * here is called on the one thread that steps the event loop, except where a method says otherwise.
 */
@NullMarked
package io.verbena.link;

import org.jspecify.annotations.NullMarked;
