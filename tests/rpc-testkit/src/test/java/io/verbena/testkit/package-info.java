/**
 * What tests of Verbena, and of programs that use it, have in common: the contract that every link
 * keeps, a clock that only the test moves, and seeds that a failure can be replayed from. Called by
 * tests alone, on the thread that runs the test.
 */
@NullMarked
package io.verbena.testkit;

import org.jspecify.annotations.NullMarked;
