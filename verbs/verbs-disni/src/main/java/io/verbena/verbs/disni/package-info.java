/**
 * DiSNI's own calls over the objects of any {@link io.verbena.verbs.ext.VerbsProvider}, and DiSNI's
 * static entry points: for programs that were written for DiSNI. The calls include stateful posts
 * and polls. {@link io.verbena.verbs.disni.Launch} runs an unmodified program. Verbena itself does
 * not need this module; if it is on the path, {@link io.verbena.verbs.ext.UnderDisni} finds it. It
 * starts no thread, and its objects belong to the thread that asked for them.
 */
@NullMarked
package io.verbena.verbs.disni;

import org.jspecify.annotations.NullMarked;
