/** Client, server, session and calls over the link SPI, with the in-memory link. */
@NullMarked
package io.verbena.core;

import org.jspecify.annotations.NullMarked;
