/**
 * Makes an application's server, client and channels out of its beans and properties, and ties them
 * to what Spring Boot has of life cycle, health and metrics. Spring Boot calls it, on the thread
 * that starts or closes a context; health is asked for by any thread.
 */
@NullMarked
package io.verbena.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
