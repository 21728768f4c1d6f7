package io.verbena.it;

import io.verbena.testkit.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Key stores, and the TLS contexts of who holds and trusts them. */
final class Certificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private Certificates() {}

  /** Makes a key and a certificate that it signs itself, for this name and the loopback address. */
  static KeyStore keyStore(String name) {
    return TestIdentity.keyStore(name, PASSWORD, "CN=" + name, "ip:127.0.0.1");
  }

  /** Returns the context of one who holds the first key and trusts the others' certificates. */
  static SSLContext context(KeyStore own, KeyStore... trusted)
      throws IOException, GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own, PASSWORD);
    KeyStore anchors = KeyStore.getInstance("PKCS12");
    anchors.load(null, null);
    for (KeyStore other : trusted) {
      String alias = other.aliases().nextElement();
      anchors.setCertificateEntry(alias, other.getCertificate(alias));
    }
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(anchors);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Writes a key and its certificate as PEM files. */
  static void write(KeyStore own, Path certificate, Path key)
      throws IOException, GeneralSecurityException {
    String alias = own.aliases().nextElement();
    writeCertificate(own, certificate);
    Files.writeString(key, pem("PRIVATE KEY", own.getKey(alias, PASSWORD).getEncoded()));
  }

  /** Writes its certificate alone. */
  static void writeCertificate(KeyStore own, Path certificate)
      throws IOException, GeneralSecurityException {
    String alias = own.aliases().nextElement();
    Files.writeString(certificate, pem("CERTIFICATE", own.getCertificate(alias).getEncoded()));
  }

  private static String pem(String what, byte[] encoded) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(what, Base64.getMimeEncoder().encodeToString(encoded));
  }

  /** Returns the context of one who holds no key. */
  static SSLContext trusting(KeyStore trusted) throws IOException, GeneralSecurityException {
    KeyStore none = KeyStore.getInstance("PKCS12");
    none.load(null, null);
    return context(none, trusted);
  }
}
