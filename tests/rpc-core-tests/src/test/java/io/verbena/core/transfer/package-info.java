/** Tests of large objects in whole sessions, stepped by one thread. */
@NullMarked
package io.verbena.core.transfer;

import org.jspecify.annotations.NullMarked;
