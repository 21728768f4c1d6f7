/**
 * Two microservices. {@link io.verbena.samples.services.Shop} asks {@link
 * io.verbena.samples.services.Stock} inside its own handler; what its caller has of time left is
 * what the inner call gets.
 */
@NullMarked
package io.verbena.samples.services;

import org.jspecify.annotations.NullMarked;
