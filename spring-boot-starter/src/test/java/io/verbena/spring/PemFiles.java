package io.verbena.spring;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A key of this machine's loopback address and its certificate, made by the JDK's keytool. */
record PemFiles(Path certificate, Path key) {
  private static final String PASSWORD = "only-for-this-test-run";

  static PemFiles write(Path directory, String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=IP:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException("keytool: " + said);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new PemFiles(
        pem(directory, name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded()),
        pem(
            directory,
            name + ".key",
            "PRIVATE KEY",
            keys.getKey(name, PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path pem(Path directory, String file, String what, byte[] encoded)
      throws IOException {
    String text = Base64.getMimeEncoder().encodeToString(encoded);
    return Files.writeString(
        directory.resolve(file),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(what, text));
  }
}
