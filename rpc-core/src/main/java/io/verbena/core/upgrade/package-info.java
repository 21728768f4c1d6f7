/**
 * The choice of better links, and the protection of sessions from faulty providers. If a provider
 * throws, even an error of the linker, the session stays on TCP. The exception is logged, the
 * session's path gives the reason, and calls continue. It is caught in two places: {@link
 * io.verbena.core.upgrade.ProviderCalls} for calls during an attempt, and the event loop, which
 * steps the links.
 *
 * <p>Any thread calls providers. Only their loop calls drivers and links.
 */
@NullMarked
package io.verbena.core.upgrade;

import org.jspecify.annotations.NullMarked;
