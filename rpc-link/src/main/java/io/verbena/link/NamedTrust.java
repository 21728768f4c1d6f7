package io.verbena.link;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's check of certificates. If a certificate has a wrong name, the message contains the
 * names that it has.
 */
final class NamedTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager judge;

  private NamedTrust(X509ExtendedTrustManager judge) {
    this.judge = judge;
  }

  /**
   * Returns trust managers for the certificates in a store.
   *
   * @param trusted null for the certificates that the JDK trusts
   */
  static TrustManager[] in(@Nullable KeyStore trusted) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return Arrays.stream(factory.getTrustManagers())
        .map(one -> one instanceof X509ExtendedTrustManager judge ? new NamedTrust(judge) : one)
        .toArray(TrustManager[]::new);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      judge.checkServerTrusted(chain, type, engine);
    } catch (CertificateException e) {
      checkServerTrusted(chain, type); // without the name: any other fault comes first
      throw new CertificateException(
          e.getMessage() + "; it is for " + CertificateNames.of(List.of(chain)).hosts());
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    judge.checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    judge.checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    judge.checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    judge.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    judge.checkClientTrusted(chain, type, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return judge.getAcceptedIssuers();
  }
}
