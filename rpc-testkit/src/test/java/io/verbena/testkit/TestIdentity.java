package io.verbena.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A key and its certificate, made anew in every test run by the JDK's keytool, so that no private
 * key is ever kept. Making one takes about a second: share it between tests.
 */
public final class TestIdentity {
  private static final String ALIAS = "identity";
  private static final String AUTHORITY = "authority";
  private static final char[] PASSWORD = "only-for-this-test-run".toCharArray();

  private final KeyStore keys;

  private TestIdentity(KeyStore keys) {
    this.keys = keys;
  }

  /**
   * Makes an identity with a self-signed certificate, or one that an authority of its own signs
   * where it has no subject.
   *
   * @param subject such as {@code "CN=server"}; empty for none
   * @param alternativeNames what the certificate is for: {@code "dns:localhost"}, {@code
   *     "ip:127.0.0.1"}, {@code "uri:spiffe://house/shop"}; none for a client's
   */
  public static TestIdentity create(String subject, String... alternativeNames) {
    try {
      Path directory = Files.createTempDirectory("verbena-identity");
      Path file = directory.resolve("keys.p12");
      try {
        List<String> names = new ArrayList<>();
        if (subject.isEmpty()) {
          keytool(file, AUTHORITY, "CN=authority", List.of("-ext", "bc:critical=ca:true"));
          names.addAll(List.of("-signer", AUTHORITY));
        }
        if (alternativeNames.length > 0) {
          String critical = subject.isEmpty() ? ":critical" : ""; // RFC 5280, 4.2.1.6
          names.addAll(
              List.of("-ext", "san" + critical + "=" + String.join(",", alternativeNames)));
        }
        keytool(file, ALIAS, subject, names);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
          keys.load(in, PASSWORD);
        }
        return new TestIdentity(keys);
      } finally {
        Files.deleteIfExists(file);
        Files.delete(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void keytool(Path file, String alias, String subject, List<String> more)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-dname",
                subject,
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD)));
    command.addAll(more);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("keytool failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while making a key", e);
    }
  }

  /** Writes its certificates and its key as PEM files. */
  public void write(Path certificates, Path key) throws IOException {
    try {
      StringBuilder chain = new StringBuilder();
      for (Certificate one : keys.getCertificateChain(ALIAS)) {
        chain.append(pem("CERTIFICATE", one.getEncoded()));
      }
      Files.writeString(certificates, chain);
      Files.writeString(key, pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD).getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes the certificate by which others trust it as a PEM file. */
  public void writeTrusted(Path certificate) throws IOException {
    try {
      Files.writeString(certificate, pem("CERTIFICATE", root().getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String what, byte[] encoded) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(what, Base64.getMimeEncoder().encodeToString(encoded));
  }

  private Certificate root() throws GeneralSecurityException {
    Certificate[] chain = keys.getCertificateChain(ALIAS);
    return chain[chain.length - 1];
  }

  /** Returns a context that shows this identity and trusts others. */
  public SSLContext trusting(TestIdentity... trusted) {
    return context(this, trusted);
  }

  /** Returns a context that shows no identity and trusts others. */
  public static SSLContext nobodyTrusting(TestIdentity... trusted) {
    return context(null, trusted);
  }

  private static SSLContext context(@Nullable TestIdentity self, TestIdentity... trusted) {
    try {
      KeyStore anchors = KeyStore.getInstance("PKCS12");
      anchors.load(null, null);
      for (int i = 0; i < trusted.length; i++) {
        anchors.setCertificateEntry("trusted-" + i, trusted[i].root());
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(anchors);
      KeyManager[] keyManagers = new KeyManager[0];
      if (self != null) {
        KeyManagerFactory factory =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(self.keys, PASSWORD);
        keyManagers = factory.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
