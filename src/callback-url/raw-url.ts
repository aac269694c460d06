import { ignorable, maxHostLength, withoutDot } from "./domain.ts";
import { type CallbackUrlProblem, type CallbackUrlProblemCode, problem } from "./problem.ts";

/**
 * Returns the first rule that a URL breaks before it is parsed. `new URL` forgives what other software reads
 * differently: `https:/x`, backslashes, tabs, `%61`, full-width dots.
 */
export function rawProblem(url: unknown): CallbackUrlProblem | undefined {
  if (typeof url !== "string") return problem("notString", "must be a string");
  const host = writtenHost(url);
  const [code, , what] = rules.find(([, breaks]) => breaks(url, host)) ?? [];
  return code && what ? problem(code, what) : undefined;
}

type Rule = readonly [code: CallbackUrlProblemCode, breaks: (url: string, host: string) => boolean, what: string];

/** Browsers, proxies and databases commonly stop here. */
const maxLength = 2_048;

/** In the order in which they are reported. The host is as it is written, with its port. */
const rules: readonly Rule[] = [
  ["tooLong", (url) => url.length > maxLength, `is longer than ${maxLength} characters`],
  [
    "hostTooLong",
    (_, host) => withoutDot(withoutPort(host)).length > maxHostLength,
    `has a host that is longer than ${maxHostLength} characters`,
  ],
  ["whiteSpace", (url) => /\s/u.test(url), "must not contain white space"],
  [
    "invisibleCharacter",
    (url, host) => /\p{C}/u.test(url) || ignorable.test(host),
    "must not contain control characters or invisible characters",
  ],
  ["backslash", (url) => url.includes("\\"), "must not contain a backslash"],
  ["notHttps", (url) => /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https:/i.test(url), "must begin with https://"],
  ["malformed", (url) => !/^https:\/\/[^/]/i.test(url), "must begin with https:// and a host"],
  ["userInfo", (_, host) => host.includes("@"), "must not contain a user name or password"],
  ["encodedHost", (_, host) => host.includes("%"), "must not have percent signs in its host"],
  [
    "wideCharacter",
    // U+3002 is parsed as a dot, but Unicode's own normalization keeps it.
    (_, host) => host.normalize("NFKC") !== host || host.includes("\u3002"),
    "must not have characters in its host that only look like others",
  ],
];

/**
 * Whether the parser kept the host as it is written: an all-ASCII host may only change to lower case.
 *
 * @param host - The parsed host, without its last dot.
 */
export function isHostAsWritten(url: string, host: string): boolean {
  const written = withoutDot(withoutPort(writtenHost(url))).toLowerCase();
  return /\P{ASCII}/u.test(written) || written === host;
}

/** Between `//` and the path: the host as it is written, with its port. */
function writtenHost(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}
