package io.verbena.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
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
  private static final char[] PASSWORD = "only-for-this-test-run".toCharArray();

  private final KeyStore keys;

  private TestIdentity(KeyStore keys) {
    this.keys = keys;
  }

  /**
   * Makes an identity with a self-signed certificate.
   *
   * @param subject such as {@code "CN=server"}
   * @param alternativeNames what the certificate is for: {@code "dns:localhost"}, {@code
   *     "ip:127.0.0.1"}; none for a client's
   */
  public static TestIdentity create(String subject, String... alternativeNames) {
    try {
      Path directory = Files.createTempDirectory("verbena-identity");
      Path file = directory.resolve("keys.p12");
      try {
        keytool(file, subject, alternativeNames);
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

  private static void keytool(Path file, String subject, String... alternativeNames)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                ALIAS,
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
    if (alternativeNames.length > 0) {
      command.addAll(List.of("-ext", "san=" + String.join(",", alternativeNames)));
    }
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
        anchors.setCertificateEntry("trusted-" + i, trusted[i].keys.getCertificate(ALIAS));
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
