/**
 * Faults that are put into the product on purpose, by changes of its class files, to see that a
 * test finds them. Tests of links, of verbs and of the simulation have lists of such faults.
 */
@NullMarked
package io.verbena.testkit.planted;

import org.jspecify.annotations.NullMarked;
