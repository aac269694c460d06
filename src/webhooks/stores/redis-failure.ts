import { errorCodeOf } from "../../shared/error-code.ts";
import { stringOf } from "../../shared/json.ts";

/**
 * Returns what a failure of Redis, or of the connection to it, means and what to do, without a value, a host or a
 * password.
 *
 * @param error - What `client.eval()` rejected with.
 */
export function explainRedisFailure(error: unknown): string {
  const { message, name }: { readonly message?: unknown; readonly name?: unknown } = Object(error);
  const code = errorCodeOf(error);
  const text = [code, stringOf(name), stringOf(message)].join(" ");
  const [, explanation] = failures.find(([pattern]) => pattern.test(text)) ?? [];
  return explanation ?? `Redis or its client failed${code === "" ? "" : ` (${code})`}. See \`cause\`.`;
}

/** The first word of a reply is the code of the error; clients have their own messages for a lost connection. */
const failures: readonly (readonly [pattern: RegExp, explanation: string])[] = [
  [/\b(NOAUTH|WRONGPASS)\b/, "Redis refused the user name or password. Check the credentials of the client."],
  [/\bNOPERM\b/, "The Redis user has no permission for this. Grant it `eval` and the keys with `prefix`."],
  [/\bREADONLY\b/, "This Redis is read-only, as a replica is. Connect the client to the primary."],
  [/\bOOM\b/, "Redis has no memory left. Give it more, then try again."],
  [/\b(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY)\b/, "Redis is not ready. Try again later."],
  [/\bWRONGTYPE\b/, "A key with `prefix` has another type. Choose another `prefix`."],
  [
    /\bUNREADABLE\b/,
    "The row of this reference cannot be read: another program or a newer version has written to it. Find out whether it took effect. `webhooks.forget` removes the row, and the next delivery then takes effect.",
  ],
  [
    /\bcommand timed out\b/i,
    "Redis did not respond within the command timeout of the client. Find out what keeps it busy.",
  ],
  [/\bERR_INVALID_URL\b/, "The URL of the client is invalid. Encode special characters in the password."],
  [
    /\b(ECONN\w+|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|MaxRetriesPerRequestError)\b|Connection is closed|isn't writeable|client is closed|client is offline|Socket closed|Connection timeout/i,
    "Redis cannot be reached. Check that it is running, and the host and port of the client.",
  ],
];
