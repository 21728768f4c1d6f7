/**
 * What every verbs provider does, as one suite of tests: abstract classes, one per kind of
 * behaviour, that a provider's tests extend, each giving a {@link
 * io.verbena.verbs.testkit.VerbsHarness}.
 *
 * <p>{@link io.verbena.verbs.testkit.DisniSuite} and {@link
 * io.verbena.verbs.testkit.ActiveEndpointSuite} are here and not in verbs-disni, because a fabric
 * and a device run them, each with the harness in its own module's tests, and the laboratory finds
 * the device's there.
 *
 * <p>The suite knows no time: it waits by {@link io.verbena.verbs.testkit.VerbsHarness#await},
 * which steps a fabric or polls a real device within a limit. Where devices may differ, a test
 * allows everything that the specification does. Every test closes what it opened, and fails when
 * that fails. One thread.
 */
@NullMarked
package io.verbena.verbs.testkit;

import org.jspecify.annotations.NullMarked;
