/**
 * Makes an application's server, client and channels from its beans and properties, and connects
 * them to Spring Boot's life cycle, health and metrics. Spring Boot calls it on the thread that
 * starts or closes a context; any thread may ask for health.
 */
@NullMarked
package io.verbena.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
