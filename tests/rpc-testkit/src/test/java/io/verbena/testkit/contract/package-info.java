/** Contracts that tests of several modules serve and call. */
@NullMarked
package io.verbena.testkit.contract;

import org.jspecify.annotations.NullMarked;
