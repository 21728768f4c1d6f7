/**
 * Devices and what is allocated on them: contexts, protection domains, memory regions and windows.
 *
 * <p>Owns the one context object per device. Called by applications through DiSNI's types and the
 * extension interfaces, on any thread.
 */
@NullMarked
package io.verbena.verbs.ffm.device;

import org.jspecify.annotations.NullMarked;
