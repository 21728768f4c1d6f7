/**
 * The TCP link on Netty, with or without TLS; every session's control link. Netty's event loop is
 * owned and stepped by the thread that steps the driver, and no thread of Netty's is ever started;
 * only names are looked up elsewhere, on a virtual thread each. A frame travels as its length in 4
 * bytes, big-endian, and then its bytes.
 */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
