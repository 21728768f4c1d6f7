/**
 * Which kind of better link there is, and what keeps its mistakes from the sessions. Whatever a
 * provider throws, errors of the linker included, is a reason to stay on TCP: it is logged, the
 * session's path says it, and calls go on. Two places catch it: {@link
 * io.verbena.core.upgrade.ProviderCalls} where an attempt asks for something, and the event loop
 * where it steps its links.
 *
 * <p>Providers are asked by any thread; drivers and links by the loop that they belong to.
 */
@NullMarked
package io.verbena.core.upgrade;

import org.jspecify.annotations.NullMarked;
