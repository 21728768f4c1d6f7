/**
 * What copying, pinning and a round trip cost here, and from which lengths on a large value goes
 * which way for that. Values, but for {@link io.verbena.core.bulk.cost.CopyCost}, which measures
 * once for the process; used by sessions on their loops, and by whoever asks.
 */
@NullMarked
package io.verbena.core.bulk.cost;

import org.jspecify.annotations.NullMarked;
