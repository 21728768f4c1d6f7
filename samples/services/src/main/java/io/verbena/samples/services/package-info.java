/**
 * Three microservices, each of which calls the next inside its own handler: {@link
 * io.verbena.samples.services.Shop}, {@link io.verbena.samples.services.Stock} and {@link
 * io.verbena.samples.services.Warehouse}. What a caller has of time left is what the inner call
 * gets, and one trace crosses all. {@link io.verbena.samples.services.Customer} calls the first.
 */
@NullMarked
package io.verbena.samples.services;

import org.jspecify.annotations.NullMarked;
