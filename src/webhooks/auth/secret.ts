import { ConfigurationError } from "../../errors/request.ts";
import { WebhookProcessingError } from "../../errors/webhook.ts";
import { environmentNote, readEnvironment } from "../../shared/environment.ts";
import { createMac, type Mac } from "./mac.ts";

/** A shared secret: a string, used as UTF-8, or bytes. */
export type Secret = string | Uint8Array;

/**
 * A secret, or a function that returns the current one, or several during a rotation. It is called for each delivery.
 */
export type SecretSource<Value = Secret> = Value | (() => Value | readonly Value[] | Promise<Value | readonly Value[]>);

/** Turns a secret into the bytes of its key, or throws a `ConfigurationError`. */
export type DecodeSecret = (owner: string, secret: unknown) => Uint8Array;

/** Returns the prepared keys for a delivery; without a promise unless a secret is a function. */
export type Keys = () => readonly Mac[] | Promise<readonly Mac[]>;

/**
 * Prepares a key for each secret. Functions are called for each delivery, and the same rules apply to the secrets that
 * they return. Without `secrets`, those of the environment are used.
 *
 * @throws ConfigurationError for an empty list, for an empty or badly copied secret, and for a comment in the
 *   environment.
 */
export function prepareSecrets(owner: string, secrets: unknown, decode: DecodeSecret = decodePlain): Keys {
  if (secrets === undefined) return prepareSecrets(owner, fromEnvironment(owner), withoutComments(decode));
  const list = typeof secrets === "function" ? [secrets] : secrets;
  if (!Array.isArray(list) || list.length === 0) {
    throw new ConfigurationError(`${owner}: \`secrets\` must be a list with at least one secret.`);
  }
  const sources = Array.from(list, (source: unknown): Keys => {
    if (isProvider(source)) return provided(owner, source, decode);
    const keys = [createMac(decode(owner, source))];
    return () => keys;
  });
  if (list.some((source) => typeof source === "function")) {
    return async () => (await Promise.all(sources.map((source) => source()))).flat();
  }
  const keys = sources.flatMap((source) => source() as readonly Mac[]);
  return () => keys;
}

const variable = "SERVICEAPI_WEBHOOK_SECRET";

/**
 * Returns the secrets of the environment, one on each line. While it has none, as during a build, it is read again for
 * each delivery.
 */
function fromEnvironment(owner: string): readonly unknown[] {
  const value = readEnvironment(variable);
  return value === undefined ? [() => readEnvironment(variable)?.split(lineEnd)] : linesOf(owner, value);
}

/** Refuses a line that is empty or padded: a file that is mounted as a variable ends with one. */
function linesOf(owner: string, value: string): readonly string[] {
  if (value.trim() === "") throw empty(owner);
  const lines = value.split(lineEnd);
  const bad = lines.findIndex((line) => line === "" || line !== line.trim());
  if (bad === -1) return lines;
  throw new ConfigurationError(
    `${owner}: line ${bad + 1} of ${variable} is empty, or begins or ends with white space. Each line is a secret. Remove the line or the space.`,
  );
}

/** Not a comma or a space, which a secret may hold: a part of one would be a weaker secret. */
const lineEnd = /\r?\n/;

function withoutComments(decode: DecodeSecret): DecodeSecret {
  return (owner, secret) => decode(owner, refuseComment(owner, secret));
}

/** Refuses a line of the environment that is meant as a comment: whoever guesses it could sign with it. */
export function refuseComment<Line>(owner: string, line: Line): Line {
  if (typeof line !== "string" || !/^\s*#(?:\s|$)/.test(line)) return line;
  throw new ConfigurationError(
    `${owner}: a line of ${variable} begins with "# ", as a comment does, but every line is a secret. Remove that line.`,
  );
}

type Provider = () => unknown;

function isProvider(source: unknown): source is Provider {
  return typeof source === "function";
}

/** Keys of secrets that a function returns. Those of strings are cached, because importing a key is slow. */
function provided(owner: string, provider: Provider, decode: DecodeSecret): Keys {
  let kept: ReadonlyMap<unknown, Mac> = new Map();
  return async () => {
    let isOurs = false;
    try {
      const returned = await provider();
      isOurs = true;
      const secrets: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
      if (secrets.length === 0) throw empty(owner);
      const keys = Array.from(
        secrets,
        (secret) => [secret, kept.get(secret) ?? createMac(decode(owner, secret))] as const,
      );
      kept = new Map(keys.filter(([secret]) => typeof secret === "string"));
      return keys.map(([, mac]) => mac);
    } catch (error) {
      // An error of the function may quote the secret.
      const isSafe = isOurs && ConfigurationError.isInstance(error);
      const message = isSafe ? error.message : `${owner}: a function in \`secrets\` threw.`;
      // A failure that passes, unlike a wrong signature: the delivery is redelivered.
      throw new WebhookProcessingError({ reason: "secretUnavailable", message, outcome: "rejected" });
    }
  };
}

/** A string as UTF-8, or bytes. */
function decodePlain(owner: string, secret: unknown): Uint8Array {
  return typeof secret === "string" ? new TextEncoder().encode(checkText(owner, secret)) : checkBytes(owner, secret);
}

/** Refuses an empty secret, and the newline that a file or a copy often adds. */
export function checkText(owner: string, secret: unknown): string {
  if (typeof secret !== "string" || secret.trim() === "") throw empty(owner);
  if (secret === secret.trim()) return secret;
  throw new ConfigurationError(
    `${owner}: a secret begins or ends with white space, as a file or a copy often does. Use secret.trim().`,
  );
}

/** Copies the bytes: a caller may overwrite its own. */
function checkBytes(owner: string, secret: unknown): Uint8Array {
  // Not `instanceof` alone: Jest gives test files a Uint8Array of their own.
  if (!ArrayBuffer.isView(secret) || secret.byteLength === 0) throw empty(owner);
  return new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength).slice();
}

export function empty(owner: string): ConfigurationError {
  return new ConfigurationError(
    `${owner}: a secret is missing or empty. Pass one, or set ${variable}${environmentNote(variable)}.`,
  );
}
