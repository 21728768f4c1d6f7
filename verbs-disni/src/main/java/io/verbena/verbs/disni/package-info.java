/**
 * DiSNI's own calls, stateful posts and polls among them, over the objects of any {@link
 * io.verbena.verbs.ext.VerbsProvider}, and its static entry points: for programs that were written
 * for DiSNI. {@link io.verbena.verbs.disni.Launch} runs one as it is. Nothing of Verbena's needs
 * this; where the module is on the path, {@link io.verbena.verbs.ext.UnderDisni} finds it. It
 * starts no thread, and what it makes belongs to the thread that asked for it.
 */
@NullMarked
package io.verbena.verbs.disni;

import org.jspecify.annotations.NullMarked;
