/** The usage of a process, and the properties of its host, from the kernel and the JVM. */
@NullMarked
package io.verbena.bench.usage;

import org.jspecify.annotations.NullMarked;
