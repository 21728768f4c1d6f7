package io.verbena.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A key and its certificate, made anew in every test run, so that no private key is ever kept. */
public final class TestIdentity {
  private static final String ALIAS = "identity";
  private static final char[] PASSWORD = "only-for-this-test-run".toCharArray();

  private static final String CIPHER = "PBEWithHmacSHA256AndAES_256";

  /** A password that is hashed once: ten thousand times, as files have it, take tests seconds. */
  private static final PBEParameterSpec ONCE = new PBEParameterSpec(new byte[16], 1);

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
    return new TestIdentity(keyStore(ALIAS, PASSWORD, subject, alternativeNames));
  }

  /** Makes the same as a key store of one entry. */
  public static KeyStore keyStore(
      String alias, char[] password, String subject, String... alternativeNames) {
    try {
      KeyPair own = X509.keyPair();
      Certificate[] chain =
          subject.isEmpty()
              ? X509.issued(own, alternativeNames)
              : new Certificate[] {X509.selfSigned(own, subject, alternativeNames)};
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, null);
      keys.setEntry(
          alias,
          new KeyStore.PrivateKeyEntry(own.getPrivate(), chain),
          new KeyStore.PasswordProtection(password, CIPHER, ONCE));
      return keys;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
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
