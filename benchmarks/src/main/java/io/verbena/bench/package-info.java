/** Where {@code verbena bench} starts. The packages below are its rooms. */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
