/**
 * Three microservices, each of which calls the next inside its own handler: {@link
 * io.verbena.samples.services.Shop}, {@link io.verbena.samples.services.Stock} and {@link
 * io.verbena.samples.services.Warehouse}. The inner call gets the time that is left to its caller,
 * and one trace covers all calls. {@link io.verbena.samples.services.Customer} calls the first.
 */
@NullMarked
package io.verbena.samples.services;

import org.jspecify.annotations.NullMarked;
