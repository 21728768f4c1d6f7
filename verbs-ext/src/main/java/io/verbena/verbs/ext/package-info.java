/** What DiSNI's types cannot say, as small interfaces that any provider can implement. */
@NullMarked
package io.verbena.verbs.ext;

import org.jspecify.annotations.NullMarked;
