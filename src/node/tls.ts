import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigurationError } from "../errors/request.ts";
import {
  anyOf,
  boolean,
  listOf,
  nonEmptyString,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
} from "../shared/options.ts";

/** A certificate or key: PEM as a string, or the bytes of a file. */
type Pem = string | Uint8Array;

/** Options of TLS to the service, as those of `tls.connect` in Node. */
export interface TlsOptions {
  /**
   * Certificate authorities that are trusted, in place of Node's own.
   *
   * @default those of Node, and NODE_EXTRA_CA_CERTS
   */
  readonly ca?: Pem | readonly Pem[] | undefined;
  /** The certificate of the client (mutual TLS), with its chain. */
  readonly cert?: Pem | readonly Pem[] | undefined;
  /** The private key of `cert`. */
  readonly key?: Pem | readonly Pem[] | undefined;
  /** Certificate and key in one file (PKCS #12), in place of `cert` and `key`. */
  readonly pfx?: Pem | undefined;
  /** The passphrase of `key` or `pfx`. */
  readonly passphrase?: string | undefined;
  /** The name that is sent (SNI) and that the certificate must have. @default the host of the URL */
  readonly servername?: string | undefined;
  /** The lowest version of TLS. @default "TLSv1.2" */
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
  /**
   * Whether the certificate of the service is checked. With `false` anyone on the network path can read the secret: for
   * tests only.
   *
   * @default true
   */
  readonly rejectUnauthorized?: boolean | undefined;
}

const bytes: Rule = (value) => (value instanceof Uint8Array && value.length > 0 ? undefined : "must be bytes");
const content = "the content of a PEM file, as a string or bytes, and not its path";
const pem: Rule = (value) => (isPem(value) ? undefined : `must be ${content}`);
const pems = anyOf(`must be ${content}, or a list of them`, pem, listOf(pem));
const archive = anyOf("must be a non-empty string or bytes", nonEmptyString, bytes);

function isPem(value: unknown): boolean {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof text === "string" && text.includes("-----BEGIN ");
}

/** The rules of {@link TlsOptions}. */
export const tlsRules: Rules<TlsOptions> = {
  ca: pems,
  cert: pems,
  key: pems,
  pfx: archive,
  passphrase: nonEmptyString,
  servername: nonEmptyString,
  minVersion: oneOf("TLSv1.2", "TLSv1.3"),
  rejectUnauthorized: boolean,
};

/** Reads certificates and keys once. A bad one is refused here, not at the first call. */
export function readTls(options: TlsOptions = {}): ConnectionOptions {
  const { servername, rejectUnauthorized, ...certificates } = readOptions<TlsOptions>("tls", options, tlsRules);
  return {
    secureContext: secureContextOf(certificates),
    // HTTP/2 needs another client.
    ALPNProtocols: ["http/1.1"],
    ...(servername !== undefined && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}

function secureContextOf(certificates: object) {
  try {
    return createSecureContext(certificates as SecureContextOptions);
  } catch {
    // What OpenSSL says may quote the key's file.
    throw new ConfigurationError(
      "nodeFetch: `tls` has a certificate, key or passphrase that Node cannot read. Pass the content of the files (PEM), not their paths.",
    );
  }
}
