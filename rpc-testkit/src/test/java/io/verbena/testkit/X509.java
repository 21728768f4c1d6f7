package io.verbena.testkit;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;

/**
 * Certificates in DER (RFC 5280), in milliseconds: the JDK makes them only in its keytool, which is
 * a process of a second's work for each.
 */
final class X509 {
  private static final String AUTHORITY = "CN=authority";
  private static final Duration VALID = Duration.ofDays(2);
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final byte[] ECDSA_WITH_SHA256 =
      HexFormat.of().parseHex("300a06082a8648ce3d040302");
  private static final byte[] VERSION_3 = HexFormat.of().parseHex("a003020102");
  private static final byte[] CRITICAL = HexFormat.of().parseHex("0101ff");
  private static final byte[] IS_AUTHORITY =
      HexFormat.of().parseHex("300f0603551d130101ff040530030101ff");
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = HexFormat.of().parseHex("0603551d11");

  private X509() {}

  static KeyPair keyPair() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  static Certificate selfSigned(KeyPair own, String subject, String... names)
      throws GeneralSecurityException, UnknownHostException {
    byte[] extensions = names.length == 0 ? new byte[0] : alternativeNames(false, names);
    return certificate(subject, own.getPrivate(), subject, own, extensions);
  }

  /** Makes one without a subject, which an authority of its own signs. */
  static Certificate[] issued(KeyPair own, String... names)
      throws GeneralSecurityException, UnknownHostException {
    KeyPair authority = keyPair();
    return new Certificate[] {
      certificate(AUTHORITY, authority.getPrivate(), "", own, alternativeNames(true, names)),
      certificate(AUTHORITY, authority.getPrivate(), AUTHORITY, authority, IS_AUTHORITY)
    };
  }

  private static Certificate certificate(
      String issuer, PrivateKey signing, String subject, KeyPair own, byte[] extensions)
      throws GeneralSecurityException {
    Instant now = Instant.now();
    byte[] signed =
        der(
            0x30,
            VERSION_3,
            der(0x02, BigInteger.valueOf(System.nanoTime()).abs().toByteArray()),
            ECDSA_WITH_SHA256,
            new X500Principal(issuer).getEncoded(),
            der(0x30, time(now.minus(VALID)), time(now.plus(VALID))),
            new X500Principal(subject).getEncoded(),
            own.getPublic().getEncoded(),
            extensions.length == 0 ? extensions : der(0xa3, der(0x30, extensions)));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(signing);
    signature.update(signed);
    byte[] whole = der(0x30, signed, ECDSA_WITH_SHA256, der(0x03, new byte[1], signature.sign()));
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(whole));
  }

  private static byte[] time(Instant when) {
    return der(0x17, UTC_TIME.format(when).getBytes(StandardCharsets.US_ASCII));
  }

  /** RFC 5280, 4.2.1.6: critical where there is no subject. */
  private static byte[] alternativeNames(boolean critical, String... names)
      throws UnknownHostException {
    byte[][] encoded = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      String[] name = names[i].split(":", 2);
      byte[] text = name[1].getBytes(StandardCharsets.US_ASCII);
      encoded[i] =
          switch (name[0]) {
            case "email" -> der(0x81, text);
            case "dns" -> der(0x82, text);
            case "uri" -> der(0x86, text);
            case "ip" -> der(0x87, InetAddress.getByName(name[1]).getAddress());
            default -> throw new IllegalArgumentException(names[i]);
          };
    }
    return der(
        0x30,
        SUBJECT_ALTERNATIVE_NAME,
        critical ? CRITICAL : new byte[0],
        der(0x04, der(0x30, encoded)));
  }

  /** One value with its tag and length. */
  private static byte[] der(int tag, byte[]... parts) {
    int length = Stream.of(parts).mapToInt(part -> part.length).sum();
    ByteBuffer out = ByteBuffer.allocate(length + 4).put((byte) tag);
    if (length < 0x80) {
      out.put((byte) length);
    } else if (length < 0x100) {
      out.put((byte) 0x81).put((byte) length);
    } else {
      out.put((byte) 0x82).putShort((short) length);
    }
    Stream.of(parts).forEach(out::put);
    byte[] value = new byte[out.flip().remaining()];
    out.get(value);
    return value;
  }
}
