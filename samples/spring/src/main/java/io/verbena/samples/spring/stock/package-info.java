/** The stock, which has no web server. */
@NullMarked
package io.verbena.samples.spring.stock;

import org.jspecify.annotations.NullMarked;
