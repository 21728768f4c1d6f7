/** Tests with an ensemble of one in this process, and with servers over TCP. */
@NullMarked
package io.verbena.channel.zookeeper;

import org.jspecify.annotations.NullMarked;
