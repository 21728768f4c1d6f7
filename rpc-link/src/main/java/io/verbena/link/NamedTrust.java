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

/** The JDK's judgement of certificates, which tells whom a certificate with a wrong name is of. */
final class NamedTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager judge;

  private NamedTrust(X509ExtendedTrustManager judge) {
    this.judge = judge;
  }

  /**
   * Returns what trusts those in a store.
   *
   * @param trusted null: those whom the JDK trusts
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
      checkServerTrusted(chain, type); // without the name: what else is wrong with it comes first
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
