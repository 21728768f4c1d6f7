/** A shop: its customers call it, by Verbena or from a web browser, and it calls the stock. */
@NullMarked
package io.verbena.samples.spring.shop;

import org.jspecify.annotations.NullMarked;
