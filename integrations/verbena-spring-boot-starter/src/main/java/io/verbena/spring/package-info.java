/**
 * Spring Boot support. Applications use {@link io.verbena.spring.VerbenaService} on beans to serve,
 * {@link io.verbena.spring.VerbenaStub} to inject stubs, and customizers for servers, clients and
 * channels. Spring uses everything here while a context starts, on the thread that starts it.
 */
@NullMarked
package io.verbena.spring;

import org.jspecify.annotations.NullMarked;
