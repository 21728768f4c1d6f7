/**
 * What is shared by threads without one lock around it all: each class has two or three threads do
 * something to the same thing at once, and declares every outcome that is legal. Run by {@link
 * io.verbena.stress.StressTest}, in JVMs of jcstress's own.
 */
@NullMarked
package io.verbena.stress;

import org.jspecify.annotations.NullMarked;
