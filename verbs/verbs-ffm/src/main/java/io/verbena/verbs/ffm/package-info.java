/**
 * A verbs provider in pure Java. It implements DiSNI's API by calls of libibverbs and librdmacm
 * through the Foreign Function and Memory API.
 *
 * <pre>
 *   FfmProvider -> cm -> qp, cq, device -> life -> lib -> abi
 * </pre>
 *
 * <p>DiSNI programs and the RDMA link call it on any thread. It starts one daemon thread, which
 * checks for removed devices.
 */
@NullMarked
package io.verbena.verbs.ffm;

import org.jspecify.annotations.NullMarked;
