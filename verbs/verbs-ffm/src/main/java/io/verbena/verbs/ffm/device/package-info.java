/**
 * Devices and their objects: contexts, protection domains, memory regions and windows.
 *
 * <p>The package owns the one context object of each device. Applications call it on any thread,
 * through DiSNI's types and the extension interfaces.
 */
@NullMarked
package io.verbena.verbs.ffm.device;

import org.jspecify.annotations.NullMarked;
