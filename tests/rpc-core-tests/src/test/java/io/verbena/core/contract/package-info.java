/**
 * Contracts that people change: two versions of one, compiled in the test, call each other in a
 * stepped session.
 */
@NullMarked
package io.verbena.core.contract;

import org.jspecify.annotations.NullMarked;
