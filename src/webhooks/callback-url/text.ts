import type { CallbackUrlProblem, CallbackUrlProblemCode } from "./check.ts";

/** What a URL's text must not have, in the order in which it is told. The host is what stands between `//` and the path. */
const rules: readonly (readonly [CallbackUrlProblemCode, (text: string, host: string) => boolean, string])[] = [
  ["whiteSpace", (text) => /\s/u.test(text), "has white space in it"],
  ["invisibleCharacter", (text) => /\p{C}/u.test(text), "has a control character or an invisible one in it"],
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
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  const broken = rules.find(([, breaks]) => breaks(url, host));
  return broken && { code: broken[0], message: `The callback URL ${broken[2]}.` };
}
