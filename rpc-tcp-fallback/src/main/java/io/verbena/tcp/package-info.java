/**
 * The TCP link on Netty, with or without TLS; every session's control link. The thread that steps
 * the driver owns and steps Netty's event loop. No thread of Netty's is ever started. Names are
 * looked up on a virtual thread each. A frame travels as its length in 4 bytes, big-endian,
 * followed by its bytes.
 */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
