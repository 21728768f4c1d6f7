/** Tests with an API server that is played by fabric8, and with servers over TCP. */
@NullMarked
package io.verbena.channel.kubernetes;

import org.jspecify.annotations.NullMarked;
