package io.verbena.link;

import io.verbena.api.settings.Checks;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A key, its certificates and the trusted certificates, read from PEM files. The files may be
 * replaced while the program runs, as cert-manager and Kubernetes do:
 *
 * <pre>{@code
 * TlsFiles.identity(Path.of("tls.crt"), Path.of("tls.key")).trusting(Path.of("ca.crt")).mutual()
 * }</pre>
 *
 * <p>When a connection opens, at most once a second, the event loop checks the files. So keep them
 * on a local file system. If they have changed, this connection and later ones use the new contents
 * and resume no earlier TLS session. Open connections continue. Files may not match while they are
 * being replaced. That is logged, and the earlier contents stay in use until the files match.
 * Immutable for its users, and safe for use by any thread.
 */
public final class TlsFiles implements Supplier<SSLContext> {
  private static final ThrottledLog UNUSABLE =
      ThrottledLog.of(TlsFiles.class, "TLS files that cannot be used");
  private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");
  private static final char[] NONE = new char[0];

  private final @Nullable Identity identity;
  private final @Nullable Path trusted;
  private final NanoClock clock;
  private @Nullable SSLContext context;
  private List<Seen> seen = List.of();
  private long lookedAt;

  /** The files of a key and of its certificates, up to one that peers trust. */
  private record Identity(Path certificates, Path key) {}

  /** The attributes of a file that show a change without reading it. */
  private record Seen(long modified, long bytes, @Nullable Object file) {
    static Seen of(Path path) throws IOException {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      return new Seen(now.lastModifiedTime().toMillis(), now.size(), now.fileKey());
    }
  }

  TlsFiles(
      @Nullable Path certificates, @Nullable Path key, @Nullable Path trusted, NanoClock clock) {
    this.identity = certificates == null || key == null ? null : new Identity(certificates, key);
    this.trusted = trusted;
    this.clock = clock;
  }

  /**
   * Returns the files of an end that presents a certificate. It trusts the certificates that the
   * JDK trusts.
   *
   * @param certificates its own certificate first, then those that signed it, as {@code BEGIN
   *     CERTIFICATE} blocks
   * @param key a {@code BEGIN PRIVATE KEY} block (PKCS#8, not encrypted): RSA, EC or Ed25519
   */
  public static TlsFiles identity(Path certificates, Path key) {
    return new TlsFiles(
        Checks.required("certificates", certificates),
        Checks.required("key", key),
        null,
        NanoClock.SYSTEM);
  }

  /**
   * Returns the files of an end that presents no certificate.
   *
   * @param certificates the trusted certificates, as {@code BEGIN CERTIFICATE} blocks
   */
  public static TlsFiles trust(Path certificates) {
    return new TlsFiles(
        null, null, Checks.required("certificates", certificates), NanoClock.SYSTEM);
  }

  /**
   * Returns these files with other trusted certificates. No others are trusted.
   *
   * @param certificates as {@code BEGIN CERTIFICATE} blocks
   */
  public TlsFiles trusting(Path certificates) {
    Checks.required("certificates", certificates);
    Identity own = identity;
    return own == null
        ? new TlsFiles(null, null, certificates, clock)
        : new TlsFiles(own.certificates(), own.key(), certificates, clock);
  }

  /**
   * Returns options for a client. The server must prove the host name to which the client connects.
   *
   * @throws IllegalArgumentException if the files cannot be used; the message names the file and
   *     the reason
   */
  public TlsOptions client() {
    return TlsOptions.of(this);
  }

  /**
   * Returns options for a server that presents its certificate and requires none of clients.
   *
   * @throws IllegalArgumentException if the files cannot be used, or there is no key among them
   */
  public TlsOptions server() {
    requireIdentity();
    return TlsOptions.of(this).withVerifyHostName(false);
  }

  /**
   * Returns options for a server that requires a certificate of every client.
   *
   * @throws IllegalArgumentException if the files cannot be used, or there is no key among them
   */
  public TlsOptions mutual() {
    requireIdentity();
    return TlsOptions.of(this).withVerifyHostName(false).withRequireClientCertificate(true);
  }

  private void requireIdentity() {
    if (identity == null) {
      throw new IllegalArgumentException(
          "a server needs a key: begin with TlsFiles.identity(certificates, key)");
    }
  }

  /**
   * Returns the context for the present contents of the files.
   *
   * @throws IllegalArgumentException on the first call, if they cannot be used; the message names
   *     the file and the reason
   */
  @Override
  public synchronized SSLContext get() {
    long now = clock.nanoTime();
    SSLContext before = context;
    if (before != null && now - lookedAt < EVERY_NANOS) {
      return before;
    }
    lookedAt = now;
    try {
      List<Seen> current = look();
      if (before == null || !current.equals(seen)) {
        before = load();
        context = before;
        seen = current; // checked before reading, so a change meanwhile is read again
      }
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      if (before == null) {
        throw new IllegalArgumentException("TLS files cannot be used: " + Thrown.reason(e), e);
      }
      UNUSABLE.warn("{}; the earlier contents of the TLS files stay in use", Thrown.reason(e));
    }
    return before;
  }

  private List<Seen> look() {
    return Stream.of(
            identity == null ? null : identity.certificates,
            identity == null ? null : identity.key,
            trusted)
        .flatMap(Stream::ofNullable)
        .map(file -> of(file, Seen::of))
        .toList();
  }

  /** An operation on a file. */
  @FunctionalInterface
  private interface Use<T> {
    T of(Path file) throws IOException, GeneralSecurityException;
  }

  /** Adds the file's name to any failure of an operation. */
  private static <T> T of(Path file, Use<T> use) {
    try {
      return use.of(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e, e);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " " + Thrown.reason(e), e);
    }
  }

  private SSLContext load() throws GeneralSecurityException {
    SSLContext made = SSLContext.getInstance("TLS");
    made.init(
        identity == null ? new KeyManager[0] : keys(identity),
        NamedTrust.in(trusted == null ? null : store(of(trusted, TlsFiles::certificates))),
        null);
    return made;
  }

  private static KeyManager[] keys(Identity own) throws GeneralSecurityException {
    List<X509Certificate> chain = of(own.certificates, TlsFiles::certificates);
    PublicKey shown = chain.getFirst().getPublicKey();
    PrivateKey key = of(own.key, file -> key(file, shown.getAlgorithm()));
    if (!belong(key, shown)) {
      throw new IllegalArgumentException(
          "the key in %s is not that of the first certificate in %s"
              .formatted(own.key, own.certificates));
    }
    KeyStore store = store(List.of());
    store.setKeyEntry("own", key, NONE, chain.toArray(X509Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NONE);
    return factory.getKeyManagers();
  }

  private static KeyStore store(List<X509Certificate> trusted) throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is read
    }
    for (X509Certificate one : trusted) {
      store.setCertificateEntry("trusted-" + store.size(), one);
    }
    return store;
  }

  private static List<X509Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    Collection<? extends Certificate> all;
    try (InputStream in = Files.newInputStream(file)) {
      all = CertificateFactory.getInstance("X.509").generateCertificates(in);
    } catch (GeneralSecurityException e) {
      throw new GeneralSecurityException("has no certificates: " + Thrown.reason(e), e);
    }
    if (all.isEmpty()) {
      throw new GeneralSecurityException("has no BEGIN CERTIFICATE block");
    }
    return all.stream().map(X509Certificate.class::cast).toList();
  }

  private static PrivateKey key(Path file, String algorithm)
      throws IOException, GeneralSecurityException {
    // A file of any encoding will do, because text around the block is for people.
    Matcher block = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (!block.find()) {
      throw new GeneralSecurityException(
          "has no BEGIN PRIVATE KEY block; convert other forms by 'openssl pkcs8 -topk8"
              + " -nocrypt'");
    }
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(block.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new GeneralSecurityException(
          "has no key for the certificate's algorithm, %s: %s".formatted(algorithm, e.getMessage()),
          e);
    }
  }

  /** Returns whether one key verifies the signature of the other. */
  private static boolean belong(PrivateKey key, PublicKey shown) {
    byte[] text = "Verbena".getBytes(StandardCharsets.US_ASCII);
    try {
      Signature signature =
          Signature.getInstance(
              switch (shown.getAlgorithm().toUpperCase(Locale.ROOT)) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> shown.getAlgorithm();
              });
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(shown);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // for example a key of another curve
    }
  }
}
