/** What a process uses, and what kind of host it runs on, as the kernel and the JVM tell. */
@NullMarked
package io.verbena.bench.usage;

import org.jspecify.annotations.NullMarked;
