/**
 * What a user's tests need: a server and a client in memory for each test, faults between the two,
 * and a look at what a test leaves behind. It stands on the API, the core and the in-memory link as
 * any program does. JUnit's threads call it.
 */
@NullMarked
package io.verbena.junit;

import org.jspecify.annotations.NullMarked;
