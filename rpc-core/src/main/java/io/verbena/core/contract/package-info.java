/**
 * What each end of a session serves: the peer's services and their methods' places, by which calls
 * name them, and how the two ends' contracts fit.
 */
@NullMarked
package io.verbena.core.contract;

import org.jspecify.annotations.NullMarked;
