import { ConfigurationError } from "../../errors/request.ts";
import { fromBase64, toBase64 } from "../../shared/bytes.ts";
import { credentialComplaint } from "../../shared/credential.ts";
import { anything, listOf, type Rule, type Rules, readArguments, readOptions } from "../../shared/options.ts";
import { authError, type WebhookCheck } from "./check.ts";
import { equalText } from "./mac.ts";

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

const part: Rule = (value) => credentialComplaint(value, "text");
const credentialRules: Rules<BasicCredential> = {
  username: (value, name) => part(value, name) ?? (`${value}`.includes(":") ? "must not contain a colon" : undefined),
  password: part,
};
const rules: Rules<BasicOptions> = { credentials: listOf(anything) };

/**
 * Returns a check of Basic Authentication (§5, RFC 7617), in constant time.
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
  return {
    name: "basic",
    check(delivery) {
      const received = readAuthorization(delivery.header("authorization"));
      let matches = false;
      // All are compared, even after a match.
      for (const one of credentials) if (equalText(received, one)) matches = true;
      if (!matches) throw authError("credentialsMismatch", "The user name or password is wrong.");
      return undefined;
    },
    async sign() {
      return { authorization: `Basic ${credentials[0]?.trimEnd()}` };
    },
  };
}

/** Far beyond the longest accepted credential; a longer header is not decoded. */
const maxHeader = 4_096;
const maxCredential = 1_024;

/** Returns the {@link padded} `username:password` of a header. */
function readAuthorization(header: string | undefined): string {
  if (header === undefined) throw authError("credentialsMissing", 'The header "authorization" is missing.');
  const [, encoded = ""] = (header.length <= maxHeader && /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)) || [];
  const credential = fromBase64(encoded);
  if (credential?.includes(":".charCodeAt(0))) return padded(credential);
  throw authError("credentialsMismatch", 'The header "authorization" is not valid Basic Authentication.');
}

/** Returns the {@link padded} `username:password` of an option. */
function readCredential(given: BasicCredential): string {
  const { username, password } = readArguments("basic: a credential", given, credentialRules);
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  if (bytes.length > maxCredential + 1) {
    throw new ConfigurationError(`basic: a credential is longer than ${maxCredential} bytes.`);
  }
  return padded(bytes);
}

/** Returns base64 of one length, so that a comparison reveals nothing of the length of a credential. */
function padded(credential: Uint8Array): string {
  return toBase64(credential).padEnd(maxHeader);
}
