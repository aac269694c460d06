import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TlsOptions } from "node:tls";
import { build } from "./paths.ts";
import { run } from "./process.ts";

/** A self-signed certificate, generated for each run so that no private key lies in the repository. */
export async function selfSigned(): Promise<TlsOptions> {
  mkdirSync(build, { recursive: true });
  const [key, cert] = [join(build, "key.pem"), join(build, "certificate.pem")];
  const what = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2"];
  const whose = [
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
    "-addext",
    "basicConstraints=CA:FALSE",
  ];
  await run("openssl", ["req", ...what, ...whose, "-keyout", key, "-out", cert]);
  return { key: readFileSync(key), cert: readFileSync(cert) };
}
