/**
 * A verbs provider in pure Java: libibverbs and librdmacm by the Foreign Function and Memory API,
 * under DiSNI's API.
 *
 * <pre>
 *   FfmProvider -> cm -> qp, cq, device -> life -> lib -> abi
 * </pre>
 *
 * <p>Called by DiSNI programs and by the RDMA link, on any thread. Starts no thread of its own.
 */
@NullMarked
package io.verbena.verbs.ffm;

import org.jspecify.annotations.NullMarked;
