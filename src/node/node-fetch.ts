import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigurationError } from "../errors/request.ts";
import {
  anyOf,
  boolean,
  group,
  integer,
  listOf,
  milliseconds,
  millisecondsOrFalse,
  nonEmptyString,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
  string,
} from "../shared/options.ts";
import { type DirectFetch, directFetch } from "../transport/fetch.ts";
import { Pool } from "./connections.ts";
import { exchange, type Outgoing } from "./exchange.ts";
import { chooseProxy } from "./proxy.ts";

/** Options of {@link nodeFetch}. */
export interface NodeFetchOptions {
  /**
   * Maximum number of connections to one origin. Further requests wait for one, and the wait counts towards `timeout`.
   *
   * @default no limit
   */
  readonly maxSockets?: number | undefined;
  /** Whether a connection is kept for the next request. @default true */
  readonly keepAlive?: boolean | undefined;
  /**
   * Milliseconds after which an unused connection is closed. Keep it below the one of the service: the fewer
   * connections the service closes first, the fewer calls fail with ECONNRESET. A shorter time in its `keep-alive`
   * header wins.
   *
   * @default 4_000
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Milliseconds in which a connection must be ready, TLS and proxy included; `false` for no limit. When they are over,
   * the call fails with the code ETIMEDOUT and the outcome `notSent`.
   *
   * @default 10_000
   */
  readonly connectTimeout?: number | false | undefined;
  /**
   * URL of an HTTP proxy, with its credentials if it needs any; `false` ignores the environment as well.
   *
   * @default HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY of the environment, in lower case first, as curl reads
   *   them
   */
  readonly proxy?: string | URL | false | undefined;
  /** Certificates and checks of TLS to the service. */
  readonly tls?: TlsOptions | undefined;
}

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

/** A `fetch` over node:http, with its own connections. */
export type NodeFetch = typeof globalThis.fetch & {
  /** Closes all connections, those in use included. A later request opens a new one. */
  close(): void;
};

const content = "the content of a PEM file, as a string or bytes, and not its path";
const pem: Rule = (value) => {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  return typeof text === "string" && text.includes("-----BEGIN ") ? undefined : `must be ${content}`;
};
const pems = anyOf(`must be ${content}, or a list of them`, pem, listOf(pem));
const bytes: Rule = (value) => (value instanceof Uint8Array && value.length > 0 ? undefined : "must be bytes");

const tlsRules: Rules<TlsOptions> = {
  ca: pems,
  cert: pems,
  key: pems,
  pfx: anyOf("must be a non-empty string or bytes", nonEmptyString, bytes),
  passphrase: nonEmptyString,
  servername: nonEmptyString,
  minVersion: oneOf("TLSv1.2", "TLSv1.3"),
  rejectUnauthorized: boolean,
};

const url: Rule = (value) => (value instanceof URL ? undefined : "must be a URL");

const rules: Rules<NodeFetchOptions> = {
  maxSockets: integer(1),
  keepAlive: boolean,
  idleTimeout: milliseconds(1),
  connectTimeout: millisecondsOrFalse(),
  proxy: anyOf("must be a URL, or `false` for no proxy", string, url, oneOf(false)),
  tls: group(tlsRules),
};

/**
 * Returns a `fetch` for Node that costs about half the CPU of the built-in one for a small call: it is made of
 * node:http, and a `Response` is made only when somebody asks for one. It supports proxies, client certificates and
 * private authorities.
 *
 * It sends each request once and returns redirects as they are, whatever happens to the connection. It decompresses
 * gzip, deflate and br. Unused connections do not keep the process alive. Cancel or read the body of each `Response`.
 *
 * @param options - See {@link NodeFetchOptions}.
 * @throws {@link ConfigurationError} for an unknown or invalid option, a proxy that is not an HTTP proxy, and an
 *   unreadable certificate or key. A call rejects with one for a URL that is not http: or https:, and for
 *   `redirect: "follow"`.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { nodeFetch } from "serviceapi/node";
 *
 * const api = new ServiceApi({ fetch: nodeFetch({ maxSockets: 50 }) });
 * ```
 */
export function nodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const { proxy, tls, ...limits } = readOptions<NodeFetchOptions>("nodeFetch", options, rules);
  const pool = new Pool({
    maxSockets: Number.POSITIVE_INFINITY,
    keepAlive: true,
    idleTimeout: 4_000,
    connectTimeout: 10_000,
    ...limits,
    tls: readTls(tls),
    proxyFor: chooseProxy(proxy, process.env),
  });
  const direct: DirectFetch = async (url, { method = "GET", headers = {}, ...rest }, mayReuse) =>
    exchange(pool, readUrl(url), { method, headers: Object.entries(headers), ...rest }, mayReuse);
  const general: typeof globalThis.fetch = async (input, init) => {
    if (init?.redirect === "follow") {
      throw new ConfigurationError(
        'nodeFetch: redirects are never followed, because credentials would travel with them. Pass `redirect: "manual"`, and read `location`.',
      );
    }
    // Before `Request`, which would quote a URL with a password.
    const url = readUrl(input instanceof Request ? input.url : String(input));
    // It reads and checks whatever `fetch` takes.
    const request = new Request(input, { redirect: "manual", ...init });
    const { method, headers } = request;
    // The link from this signal to that of a `Request` is weak (nodejs/undici#3644).
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    const response = await exchange(pool, url, { method, headers, body: await bodyOf(request, init), signal }, true);
    if (request.redirect === "error" && response.status >= 300 && response.status < 400 && response.status !== 304) {
      void response.body?.cancel();
      throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
    }
    return response.toResponse();
  };
  return Object.assign(general, { [directFetch]: direct, close: () => pool.close() });
}

/** Returns the body as a stream only if the caller passed one: anything else is in memory. */
async function bodyOf(request: Request, init: RequestInit | undefined): Promise<Outgoing["body"]> {
  if (request.body === null) return undefined;
  const isStream = init?.body === undefined || init.body === null || init.body instanceof ReadableStream;
  return isStream ? request.body : new Uint8Array(await request.arrayBuffer());
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new ConfigurationError("nodeFetch: the URL must be an absolute http: or https: URL without credentials.");
  }
  if (url.hash !== "") url.hash = "";
  return url;
}

/** Reads certificates and keys once. A bad one is refused here, not at the first call. */
function readTls(options: TlsOptions = {}): ConnectionOptions {
  const { ca, cert, key, pfx, passphrase, minVersion, ...checks } = readOptions<TlsOptions>("tls", options, tlsRules);
  const certificates = { ca, cert, key, pfx, passphrase, minVersion } as SecureContextOptions;
  try {
    // HTTP/2 needs another client.
    return { ...checks, secureContext: createSecureContext(certificates), ALPNProtocols: ["http/1.1"] };
  } catch {
    // What OpenSSL says may quote the key's file.
    throw new ConfigurationError(
      "nodeFetch: `tls` has a certificate, key or passphrase that Node cannot read. Pass the content of the files (PEM), not their paths.",
    );
  }
}
