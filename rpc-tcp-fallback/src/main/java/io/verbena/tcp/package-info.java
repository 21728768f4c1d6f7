/** The TCP link on Netty; every session's control link. */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
