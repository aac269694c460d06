import type { CallbackUrlProblem, CallbackUrlProblemCode } from "./problem.ts";

/** Browsers, proxies and databases commonly stop here. */
const maxLength = 2_048;
/** RFC 1035, as text and without the last dot. */
export const maxHostLength = 253;

/** Code points that `new URL` drops from a host, such as variation selectors; `\p{C}` does not name them all. */
export const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/** What a URL's text must not have, in the order in which it is told. The host is what stands between `//` and the path. */
const rules: readonly (readonly [CallbackUrlProblemCode, (text: string, host: string) => boolean, string])[] = [
  ["tooLong", (text) => text.length > maxLength, `is longer than ${maxLength} characters`],
  [
    "hostTooLong",
    (_, host) => withoutDot(withoutPort(host)).length > maxHostLength,
    `has a host that is longer than ${maxHostLength} characters`,
  ],
  ["whiteSpace", (text) => /\s/u.test(text), "has white space in it"],
  [
    "invisibleCharacter",
    (text, host) => /\p{C}/u.test(text) || ignorable.test(host),
    "has a control character or an invisible one in it",
  ],
  ["backslash", (text) => text.includes("\\"), "has a back slash in it"],
  ["notHttps", (text) => /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^https:/i.test(text), "must begin with https://"],
  ["malformed", (text) => !/^https:\/\/[^/]/i.test(text), "must begin with https:// and a host"],
  ["userInfo", (_, host) => host.includes("@"), "must not hold a user name"],
  ["encodedHost", (_, host) => host.includes("%"), "must not have percent signs in its host"],
  // U+3002 is read as a dot, but is not one for Unicode's own normalisation.
  [
    "wideCharacter",
    (_, host) => host.normalize("NFKC") !== host || host.includes("\u3002"),
    "has characters in its host that only look like others",
  ],
];

/** The first rule that the text breaks before anything parses it. */
export function rawProblem(url: unknown): CallbackUrlProblem | undefined {
  if (typeof url !== "string") return { code: "notText", message: "The callback URL must be text." };
  const host = hostText(url);
  const broken = rules.find(([, breaks]) => breaks(url, host));
  return broken && { code: broken[0], message: `The callback URL ${broken[2]}.` };
}

/** What stands between `//` and the path: the host as it is written, with its port. */
function hostText(url: string): string {
  return /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
}

/**
 * False if the parser made another host of what is written: an all-ASCII host must only be put in lower case.
 *
 * @param host - The parsed host, without its last dot.
 */
export function isHostAsWritten(url: string, host: string): boolean {
  const written = withoutDot(withoutPort(hostText(url))).toLowerCase();
  return /\P{ASCII}/u.test(written) || written === host;
}

export function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, "");
}
