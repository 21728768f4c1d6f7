/**
 * The large values of one message: their table, how they are read at the sender and where they land
 * at the receiver. Called on the loop, but the writing of a message, which its sender's thread
 * does.
 */
@NullMarked
package io.verbena.core.bulk.parts;

import org.jspecify.annotations.NullMarked;
