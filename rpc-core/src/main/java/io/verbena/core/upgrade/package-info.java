/**
 * Which kind of better link there is, and what keeps its mistakes from the sessions. Whatever a
 * provider throws, errors of the linker included, is a reason to stay on TCP: it is logged once,
 * the session's path says it, and calls go on.
 *
 * <pre>
 *   ChosenUpgrades -> GuardedUpgrades -> GuardedDriver -> GuardedLink
 * </pre>
 *
 * <p>Providers are asked by any thread; drivers and links by the loop that they belong to.
 */
@NullMarked
package io.verbena.core.upgrade;

import org.jspecify.annotations.NullMarked;
