import type { TlsOptions } from "node:tls";
import { generate } from "selfsigned";

/** Certificates for servers on loopback, made for each run so that no private key lies in the repository. */
export interface Certificates {
  /** The authority that signed `trusted`, `expired` and `otherName`, as PEM. */
  readonly authority: string;
  readonly trusted: TlsOptions;
  readonly expired: TlsOptions;
  /** For another host. */
  readonly otherName: TlsOptions;
  /** Its own authority, which nobody trusts. */
  readonly selfSigned: TlsOptions;
}

const hour = 3_600_000;

/** Makes certificates for 127.0.0.1 and localhost, and for two hosts that only the proxy of a test can reach. */
export async function makeCertificates(): Promise<Certificates> {
  const authority = await generate([{ name: "commonName", value: "serviceapi test authority" }], {
    ...elliptic,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
    ...validUntil(hour),
  });
  const ca = { key: authority.private, cert: authority.cert };
  const [trusted, expired, otherName, selfSigned] = await Promise.all([
    serverCertificate({ ca, ...validUntil(hour) }),
    serverCertificate({ ca, ...validUntil(-hour) }),
    serverCertificate({ ca, ...validUntil(hour) }, [{ type: 2, value: "api.example.com" }]),
    serverCertificate(validUntil(hour)),
  ]);
  return { authority: authority.cert, trusted, expired, otherName, selfSigned };
}

const elliptic = { keyType: "ec", algorithm: "sha256" } as const;

const validUntil = (msFromNow: number) => ({
  notBeforeDate: new Date(Date.now() - 24 * hour),
  notAfterDate: new Date(Date.now() + msFromNow),
});

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Names = Extract<NonNullable<Options["extensions"]>[number], { name: "subjectAltName" }>["altNames"];

const servers: Names = [
  { type: 7, ip: "127.0.0.1" },
  { type: 2, value: "localhost" },
  { type: 2, value: "service.test" },
  { type: 7, ip: "192.0.2.1" },
];

async function serverCertificate(options: Options, altNames: Names = servers): Promise<TlsOptions> {
  const made = await generate([{ name: "commonName", value: "serviceapi test" }], {
    ...elliptic,
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames },
    ],
    ...options,
  });
  return { key: made.private, cert: made.cert };
}
