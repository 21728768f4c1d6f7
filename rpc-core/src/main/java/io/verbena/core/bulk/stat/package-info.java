/**
 * What a client or server tells of its transfers, and what copying, pinning and a round trip cost
 * here, from which follows on which way a large value goes. Values, but for {@link
 * io.verbena.core.bulk.stat.CopyCost}, which measures once for the process; made on sessions'
 * loops, read by any thread.
 */
@NullMarked
package io.verbena.core.bulk.stat;

import org.jspecify.annotations.NullMarked;
