/**
 * Tests of users' services: a server and a client in memory for each test, faults between the two,
 * and a check for leaks after it. The package uses the API, the core and the in-memory link as any
 * program does. JUnit's threads call it.
 */
@NullMarked
package io.verbena.junit;

import org.jspecify.annotations.NullMarked;
