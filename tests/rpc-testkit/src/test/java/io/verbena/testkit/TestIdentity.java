package io.verbena.testkit;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;

/** A key and its certificate, made anew in every test run, so that no private key is ever kept. */
public final class TestIdentity {
  /** The builder's own way has no wildcards. */
  private static final String ALTERNATIVE_NAMES = Extension.subjectAlternativeName.getId();

  private static final char[] PASSWORD = "only-for-this-test-run".toCharArray();

  private final X509Bundle made;

  private TestIdentity(X509Bundle made) {
    this.made = made;
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
      CertificateBuilder builder = new CertificateBuilder().subject(subject);
      if (alternativeNames.length > 0) {
        GeneralName[] names =
            Stream.of(alternativeNames).map(TestIdentity::name).toArray(GeneralName[]::new);
        byte[] encoded = new GeneralNames(names).getEncoded();
        builder.addExtensionOctetString(ALTERNATIVE_NAMES, subject.isEmpty(), encoded);
      }
      if (!subject.isEmpty()) {
        return new TestIdentity(selfSigned(builder));
      }
      CertificateBuilder authority = new CertificateBuilder().subject("CN=authority");
      return new TestIdentity(builder.buildIssuedBy(selfSigned(authority)));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static GeneralName name(String typed) {
    String[] name = typed.split(":", 2);
    int tag =
        switch (name[0]) {
          case "email" -> GeneralName.rfc822Name;
          case "dns" -> GeneralName.dNSName;
          case "uri" -> GeneralName.uniformResourceIdentifier;
          case "ip" -> GeneralName.iPAddress;
          default -> throw new IllegalArgumentException(typed);
        };
    return new GeneralName(tag, name[1]);
  }

  private static X509Bundle selfSigned(CertificateBuilder builder) throws Exception {
    return builder.setIsCertificateAuthority(true).buildSelfSigned();
  }

  /** Writes its certificate and its key as PEM files. */
  public void write(Path certificate, Path key) throws IOException {
    write(certificate, made.getCertificatePathPEM());
    write(key, made.getPrivateKeyPEM());
  }

  /** Writes the certificate by which others trust it as a PEM file. */
  public void writeTrusted(Path certificate) throws IOException {
    write(certificate, made.getRootCertificatePEM());
  }

  /** Ends lines as openssl does. */
  private static void write(Path file, String pem) throws IOException {
    Files.writeString(file, pem.replace("\r\n", "\n"));
  }

  /** Returns a context that shows this identity and trusts others. */
  public SSLContext trusting(TestIdentity... trusted) {
    return context("TLS", this, trusted);
  }

  /** Returns such a context whose clients speak TLS 1.2 at most. */
  public SSLContext trustingByTls12(TestIdentity... trusted) {
    return context("TLSv1.2", this, trusted);
  }

  /** Returns a context that shows no identity and trusts others. */
  public static SSLContext nobodyTrusting(TestIdentity... trusted) {
    return context("TLS", null, trusted);
  }

  private static SSLContext context(
      String protocol, @Nullable TestIdentity self, TestIdentity... trusted) {
    try {
      // Of the JDK's stores the one that does not hash its password ten thousand times.
      KeyStore anchors = KeyStore.getInstance("JKS");
      anchors.load(null, null);
      for (int i = 0; i < trusted.length; i++) {
        anchors.setCertificateEntry("trusted-" + i, trusted[i].made.getRootCertificate());
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(anchors);
      KeyManager[] keyManagers = new KeyManager[0];
      if (self != null) {
        KeyManagerFactory factory =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(self.made.toKeyStore("JKS", PASSWORD), PASSWORD);
        keyManagers = factory.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance(protocol);
      context.init(keyManagers, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
