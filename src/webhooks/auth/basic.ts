import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { decodeUtf8, fromBase64, toBase64 } from "../../shared/bytes.ts";
import { credentialComplaint } from "../../shared/credential.ts";
import { listOf, type Rules, readOptions, string } from "../../shared/options.ts";
import type { WebhookCheck } from "./check.ts";
import { createMac, equalText, type Mac } from "./mac.ts";

/** A user name and its password. */
export interface BasicCredential {
  /** Without a colon (RFC 7617). */
  readonly username: string;
  /** Any characters. */
  readonly password: string;
}

/** Options of {@link basic}. */
export interface BasicOptions {
  /** The accepted credentials: two during a rotation, which §5 wants every 90 days. */
  readonly credentials: readonly BasicCredential[];
}

const credentialRules: Rules<BasicCredential> = { username: string, password: string };
const rules: Rules<BasicOptions> = { credentials: listOf(() => undefined) };

/**
 * Returns a check of Basic Authentication (§5, RFC 7617), which compares both parts in constant time.
 *
 * @param options - See {@link BasicOptions}.
 * @throws ConfigurationError for an unknown option, an empty list, and an empty or invalid credential.
 *
 * @example
 * ```ts
 * import { basic, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ auth: [basic({ credentials: [{ username: "payouts", password: secret }] })] });
 * ```
 */
export function basic(options: BasicOptions): WebhookCheck {
  const given = readOptions("basic", options, rules, ["credentials"]);
  const credentials = Array.from(given.credentials, readCredential);
  // Digests under a random key have one length, so comparing them reveals nothing of the length of the originals.
  const mac = createMac(crypto.getRandomValues(new Uint8Array(32)));
  let expected: Promise<readonly Digests[]> | undefined;
  return {
    name: "basic",
    async check(delivery) {
      const given = await digestBoth(mac, readHeader(delivery.header("authorization")));
      expected ??= Promise.all(credentials.map((credential) => digestBoth(mac, credential)));
      if (!isAnyOf(await expected, given)) {
        throw refusal("credentialsMismatch", "The user name or password is wrong.");
      }
      return undefined;
    },
    async sign() {
      const [first] = credentials;
      const bytes = new TextEncoder().encode(`${first?.username}:${first?.password}`);
      return { authorization: `Basic ${toBase64(bytes)}` };
    },
  };
}

type Digests = readonly [username: string, password: string];

async function digestBoth(mac: Mac, { username, password }: BasicCredential): Promise<Digests> {
  const encoder = new TextEncoder();
  return [
    await mac.digest("base64", [encoder.encode(username)]),
    await mac.digest("base64", [encoder.encode(password)]),
  ];
}

/** All credentials are compared whole, even after a match. */
function isAnyOf(expected: readonly Digests[], given: Digests): boolean {
  let found = false;
  for (const [username, password] of expected) {
    const sameUsername = equalText(username, given[0]);
    const samePassword = equalText(password, given[1]);
    if (sameUsername && samePassword) found = true;
  }
  return found;
}

/** Far beyond the longest accepted credential; a longer header is not decoded. */
const maxHeader = 4_096;
const maxCredential = 1_024;

function readHeader(header: string | undefined): BasicCredential {
  if (header === undefined) throw refusal("credentialsMissing", 'The header "authorization" is missing.');
  const encoded = header.length > maxHeader ? undefined : /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  const text = encoded === undefined ? undefined : decode(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon === -1) {
    throw refusal("credentialsMismatch", 'The header "authorization" is not valid Basic Authentication.');
  }
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(encoded: string): string | undefined {
  const bytes = fromBase64(encoded);
  return bytes && decodeUtf8(bytes, true);
}

function readCredential(given: unknown): BasicCredential {
  const credential = readOptions<BasicCredential>("basic: a credential", given, credentialRules);
  for (const part of ["username", "password"] as const) {
    const complaint = credentialComplaint(credential[part], "text");
    if (complaint !== undefined) throw new ConfigurationError(`basic: \`${part}\` ${complaint}.`);
  }
  const { username, password } = credential;
  if (username.includes(":")) throw new ConfigurationError("basic: a user name must not contain a colon.");
  if (new TextEncoder().encode(username + password).length > maxCredential) {
    throw new ConfigurationError(`basic: a credential is longer than ${maxCredential} bytes.`);
  }
  return credential;
}

function refusal(reason: "credentialsMissing" | "credentialsMismatch", message: string): WebhookAuthError {
  return new WebhookAuthError({ reason, message });
}
