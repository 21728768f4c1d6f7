/** The contracts of two applications of Spring Boot, which are in the packages below. */
@NullMarked
package io.verbena.samples.spring;

import org.jspecify.annotations.NullMarked;
