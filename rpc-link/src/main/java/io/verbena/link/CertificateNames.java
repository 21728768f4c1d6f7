package io.verbena.link;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names in a certificate (RFC 5280, section 4.2.1.6). Immutable.
 *
 * @param subject in the form {@code CN=till,O=Shop} (RFC 2253); empty if there is none
 * @param uris such as SPIFFE IDs
 * @param dnsNames names of hosts; a name may begin with {@code *.}
 * @param emails mail addresses
 * @param addresses IP addresses of hosts
 */
public record CertificateNames(
    String subject,
    List<String> uris,
    List<String> dnsNames,
    List<String> emails,
    List<String> addresses) {
  private static final int EMAIL = 1;
  private static final int DNS = 2;
  private static final int URI = 6;
  private static final int ADDRESS = 7;
  private static final String SPIFFE = "spiffe://";
  private static final int MOST_TOLD = 8;

  /**
   * Returns the names in the first of these certificates; no names if there is no certificate.
   *
   * @param chain the certificates of one end, its own first
   */
  public static CertificateNames of(List<X509Certificate> chain) {
    if (chain.isEmpty()) {
      return new CertificateNames("", List.of(), List.of(), List.of(), List.of());
    }
    X509Certificate own = chain.getFirst();
    Collection<List<?>> all = alternatives(own);
    return new CertificateNames(
        own.getSubjectX500Principal().getName(),
        of(URI, all),
        of(DNS, all),
        of(EMAIL, all),
        of(ADDRESS, all));
  }

  private static Collection<List<?>> alternatives(X509Certificate certificate) {
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      return all == null ? List.of() : all;
    } catch (CertificateParsingException e) {
      return List.of(); // malformed names count as none
    }
  }

  private static List<String> of(int type, Collection<List<?>> all) {
    List<String> names = new ArrayList<>();
    for (List<?> one : all) {
      if (one.get(0) instanceof Integer kind
          && kind == type
          && one.get(1) instanceof String name
          && !name.isBlank()) {
        names.add(name);
      }
    }
    return List.copyOf(names);
  }

  /**
   * Returns the name that identifies the certificate's owner: a SPIFFE ID, else the subject, else
   * the first URI, else the first DNS name; null if there is none. The SPIFFE ID comes first,
   * because certificates with one often all have the same subject.
   */
  public @Nullable String principal() {
    return Stream.of(
            uris.stream().filter(uri -> uri.startsWith(SPIFFE)),
            Stream.of(subject).filter(name -> !name.isBlank()),
            uris.stream(),
            dnsNames.stream())
        .flatMap(names -> names)
        .findFirst()
        .orElse(null);
  }

  /** Returns the first few names of hosts, for a message. */
  String hosts() {
    List<String> all =
        Stream.concat(
                dnsNames.stream().map(name -> "DNS:" + name),
                addresses.stream().map(address -> "IP:" + address))
            .toList();
    if (all.isEmpty()) {
      return "no host" + (subject.isEmpty() ? "" : ", but " + subject);
    }
    String told = all.stream().limit(MOST_TOLD).collect(Collectors.joining(", "));
    return all.size() > MOST_TOLD ? told + ", and " + (all.size() - MOST_TOLD) + " more" : told;
  }
}
