package io.verbena.core.link;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How links are opened.
 *
 * @param maxFrameBytes the longest frame to send and to accept; a longer one closes its link
 * @param connectTimeout how long opening may take, with the TLS handshake
 * @param tls null for plaintext
 */
public record LinkOptions(int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls) {}
