/** Contexts of Spring Boot with the starter, in memory where they call. */
@NullMarked
package io.verbena.spring;

import org.jspecify.annotations.NullMarked;
