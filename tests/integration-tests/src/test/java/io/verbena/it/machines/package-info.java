/** Many clients and several servers in processes of their own, which come and go. */
@NullMarked
package io.verbena.it.machines;

import org.jspecify.annotations.NullMarked;
