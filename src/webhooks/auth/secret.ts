import { ConfigurationError } from "../../errors/request.ts";
import { WebhookProcessingError } from "../../errors/webhook.ts";
import { credentialComplaint, keyComplaint } from "../../shared/credential.ts";
import { environmentNote, readEnvironment } from "../../shared/environment.ts";
import { createMac, type Mac } from "./mac.ts";

/** A shared secret: a string, used as UTF-8, or bytes. */
export type Secret = string | Uint8Array;

/** A function that returns the current secret, or several during a rotation. It is called for each delivery. */
export type SecretFunction<Value = Secret> = () => Value | readonly Value[] | Promise<Value | readonly Value[]>;

/** Secrets and functions that return them, or one such function. One secret is a list, too: it has to be rotated. */
export type SecretSources<Value = Secret> = readonly (Value | SecretFunction<Value>)[] | SecretFunction<Value>;

/** Turns a secret into the bytes of its key, or throws a `ConfigurationError` that begins with `what` it is. */
type DecodeSecret = (what: string, secret: unknown) => Uint8Array;

/** The prepared keys, or a function that returns those for a delivery if a secret is a function. */
export type Keys = readonly Mac[] | (() => Promise<readonly Mac[]>);

const variable = "SERVICEAPI_WEBHOOK_SECRET";

/**
 * Prepares a key for each secret. Functions are called for each delivery, and the same rules apply to the secrets that
 * they return. Without `secrets`, those of the environment are used, one on each line: a comma or a space may be in one.
 * While it has none, as during a build, it is read again for each delivery. `secrets: undefined` is a missing secret.
 *
 * @throws ConfigurationError for an empty list, for what cannot be a secret, and for a comment or a `\n` in letters in the environment.
 */
export function prepareSecrets(
  owner: string,
  options: { readonly secrets?: unknown },
  decode: DecodeSecret = decodePlain,
): Keys {
  const { secrets } = options;
  const isEnvironment = !Object.hasOwn(options, "secrets");
  const read = () => readEnvironment(variable)?.replace(lastEnd, "").split(/\r?\n/);
  const given = typeof secrets === "function" ? [secrets] : secrets;
  const list: unknown = isEnvironment ? (read() ?? [read]) : given;
  if (!Array.isArray(list) || list.length === 0) {
    throw new ConfigurationError(`${owner}: \`secrets\` must be a list with at least one secret.`);
  }
  const sources = Array.from(list, (source: unknown, index) => {
    const named = Array.isArray(secrets) ? `\`secrets[${index}]\`` : "a secret";
    const prepare = (secret: unknown, line: number) => {
      const what = isEnvironment && secret !== undefined ? `line ${line + 1} of ${variable}` : named;
      return createMac(decode(`${owner}: ${what}`, isEnvironment ? checkLine(owner, secret) : secret));
    };
    return typeof source === "function" ? provided(owner, () => source(), prepare) : [prepare(source, index)];
  });
  if (sources.every((keys) => typeof keys !== "function")) return sources.flat();
  return async () => (await Promise.all(sources.map((keys) => (typeof keys === "function" ? keys() : keys)))).flat();
}

/** The end of the last line, which Kubernetes keeps of a file. */
export const lastEnd = /\r?\n$/;

const notLines: readonly (readonly [pattern: RegExp, complaint: string])[] = [
  // Whoever guesses a comment could sign with it.
  [/^\s*#(?:\s|$)/, 'begins with "# ", as a comment does, but every line is a secret. Remove that line'],
  [/\\n/, "has a backslash and an n in place of its end. Write a real one, or pass the secret in `secrets`"],
];

/** Refuses a line of the environment that is meant as a comment, or as several lines. */
export function checkLine<Line>(owner: string, line: Line): Line {
  const complaint = notLines.find(([pattern]) => typeof line === "string" && pattern.test(line))?.[1];
  if (complaint === undefined) return line;
  throw new ConfigurationError(`${owner}: a line of ${variable} ${complaint}.`);
}

/** Keys of secrets that a function returns. Those of strings are cached, because importing a key is slow. */
function provided(
  owner: string,
  provider: () => unknown,
  prepare: (secret: unknown, index: number) => Mac,
): () => Promise<readonly Mac[]> {
  let cached: ReadonlyMap<unknown, Mac> = new Map();
  return async () => {
    let isOurs = false;
    try {
      const secrets: readonly unknown[] = [await provider()].flat();
      isOurs = true;
      const keys = (secrets.length === 0 ? [undefined] : secrets).map(
        (secret, index) => [secret, cached.get(secret) ?? prepare(secret, index)] as const,
      );
      cached = new Map(keys.filter(([secret]) => typeof secret === "string"));
      return keys.map(([, mac]) => mac);
    } catch (error) {
      const isSafe = isOurs && ConfigurationError.isInstance(error);
      const message = isSafe
        ? error.message
        : `${owner}: a function in \`secrets\` threw. Log its error in the function: it may quote the secret, and is not shown.`;
      // A failure that passes, unlike a wrong signature: the delivery is redelivered.
      throw new WebhookProcessingError({ reason: "secretUnavailable", message, outcome: "rejected" });
    }
  };
}

/** A string as UTF-8, or bytes, which are copied: a caller may overwrite its own. */
function decodePlain(what: string, secret: unknown): Uint8Array {
  // Not `instanceof`: Jest gives test files a Uint8Array of their own.
  if (!ArrayBuffer.isView(secret)) return new TextEncoder().encode(String(checkSecret(what, secret)));
  return checkSecret(what, new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength).slice());
}

/** @throws ConfigurationError for a string, or the bytes of a key, that cannot be a secret. */
export function checkSecret<Secret>(what: string, secret: Secret): Secret {
  const complaint = secret instanceof Uint8Array ? keyComplaint(secret) : credentialComplaint(secret, "text");
  if (complaint === undefined) return secret;
  const advice = what.endsWith(variable)
    ? "Remove empty lines and white space."
    : `Pass it in \`secrets\`, or set ${variable}${environmentNote(variable)}.`;
  throw new ConfigurationError(`${what} ${complaint}.${/empty/.test(complaint) ? ` ${advice}` : ""}`);
}
