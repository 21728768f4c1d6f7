/** Tests of the test kit, which read as those of its users do. */
@NullMarked
package io.verbena.junit;

import org.jspecify.annotations.NullMarked;
