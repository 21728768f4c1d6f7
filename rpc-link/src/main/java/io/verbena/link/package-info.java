/**
 * The interface between the core and the links that carry its frames. A link moves whole frames in
 * order and knows no sessions or calls. The core knows no implementation of a link. All methods are
 * called on the thread that steps the event loop, unless their documentation says otherwise.
 */
@NullMarked
package io.verbena.link;

import org.jspecify.annotations.NullMarked;
