/**
 * What applications of Spring Boot name: {@link io.verbena.spring.VerbenaService} on beans that are
 * served, {@link io.verbena.spring.VerbenaStub} where a stub is injected, and what sets servers,
 * clients and channels further up. Everything here is used by Spring while a context starts, on the
 * thread that starts it.
 */
@NullMarked
package io.verbena.spring;

import org.jspecify.annotations.NullMarked;
