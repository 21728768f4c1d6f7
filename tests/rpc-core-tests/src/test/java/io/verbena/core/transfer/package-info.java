/** Tests of large objects in whole sessions, stepped by one thread. */
@NullMarked
package io.verbena.testkit.bulk;

import org.jspecify.annotations.NullMarked;
