/** What others notice of a client that misuses their server: {@code bench abuse}. */
@NullMarked
package io.verbena.bench.abuse;

import org.jspecify.annotations.NullMarked;
