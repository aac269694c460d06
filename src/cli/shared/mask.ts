/** Masks keep what tells two values apart: the ends of a number, the initials of a name, the bank of a VPA. */

/** Masks a mobile number or another identifier: `98••••••01`. */
export function maskNumber(text: string): string {
  const characters = [...text];
  const { length } = characters;
  if (length <= 4) return dots(length);
  const shown = length < 8 ? 1 : 2;
  return [...characters.slice(0, shown), dots(length - 2 * shown), ...characters.slice(-shown)].join("");
}

/** Masks a VPA or an e-mail address before the `@`: `98••••••01@ybl`. */
export function maskAddress(text: string): string {
  const at = text.search(lastAt);
  return at === -1 ? maskNumber(text) : `${maskNumber(text.slice(0, at))}${text.slice(at)}`;
}

/** Masks a name except for its initials: `A•••• S•••••`. Five digits, as in `9 8 7 6 5`, are not initials. */
export function maskName(text: string): string {
  const isNumber = /(?:\p{N}\P{N}*){5}/u.test(text);
  const shown = (initial: string) => (isNumber && /\p{N}/u.test(initial) ? "•" : initial);
  return text.replaceAll(/(\S)(\S*)/gu, (_, initial, rest) => shown(initial) + dots([...rest].length));
}

/**
 * Masks a message of the service, which may say anything about anybody: addresses, every number of six digits or more, in
 * any script and however its digits are grouped, unless it is one of {@link plain}, and names behind a word that announces
 * them, such as "credited to ASHA RAO".
 */
export function maskMessage(text: string): string {
  const masked = text.replaceAll(sensitive, (found, address?: string, known?: string) => {
    if (known !== undefined) return known;
    return address === undefined ? maskNumber(found) : maskAddress(address);
  });
  return masked.replaceAll(announcedName, maskName);
}

/** Masks a message of the command, whose other numbers are limits and parts of file names, which have to be read. */
export function maskOwnMessage(text: string): string {
  return text.replaceAll(mobileOrAddress, maskAddress);
}

/** Words in front of a name, in a sentence that begins with them or not. */
const announcement = [
  String.raw`(?:M(?:rs?|s|str|iss|RS?|STR|ISS)|D[rR]|S(?:hri|HRI|mt|MT)|K(?:um|UM))\.? `,
  `(?:[Cc]redited|[Pp]aid|[Ss]ent|[Tt]ransferred|[Rr]efunded|[Bb]elongs|[Rr]egistered|[Ll]inked) to:? `,
  `(?:[Hh]older|[Bb]eneficiary|[Pp]ayee|[Cc]ustomer|[Pp]assenger|[Tt]ravell?er)(?: [Nn]ame)?(?: is|:)? `,
].join("|");
/** Words in capitals, up to four, that are not the words of payments. */
const noName = String.raw`(?!(?:UPI|VPA|ID|IMPS|NEFT|RTGS|IFSC|UTR|PNR|INR|Bank|Account|Mobile|Name|The|This|Your|No)\b)`;
const nameWord = String.raw`${noName}\p{Lu}[\p{L}\p{M}'’-]+`;
const announcedName = new RegExp(
  `(?<=\\b(?:${announcement})(?:\\p{Lu}(?:\\. ?| )){0,3})${nameWord}(?: ${nameWord}|(?: \\p{Lu}\\.?)(?=[ ,;]|$)){0,3}`,
  "gu",
);

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const currency = [...Intl.supportedValuesOf("currency"), String.raw`Rs\.?`, String.raw`\p{Sc}`].join("|");

/** Between two digits there may be three signs, as in `+91 (98765) 400-01`, or a comma that ends no item of a list. */
const separator = String.raw`(?:,|[\p{Zs}\p{Pd}\p{Cf}()./_]{0,3})`;

/** The numbers that say nothing about a person. */
const plain = [
  // An amount, such as INR 748000.50 or ₹7,48,000. More digits could be an account.
  String.raw`(?:${currency}) ?\d(?:,?\d){0,8}(?:\.\d{1,4})?`,
  // Two decimals tell an amount from an identifier: 7600.50.
  String.raw`\d(?:,?\d){0,6}\.\d\d`,
  // An instant. A date alone may be a day of birth.
  String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?`,
  // A duration or a size, such as 600000 ms.
  String.raw`\d{1,9} (?:ms|s|bytes|characters)`,
  // The IP address of a server, and its port.
  String.raw`(?:${octet}\.){3}${octet}(?::\d{1,5})?`,
  // A reference: of the user, of this library (ULID), or a UUID.
  String.raw`client_referenceId (?=[\d_.:/-]*[A-Za-z])[\w.:/-]*\w`,
  String.raw`[0-9A-HJKMNP-TV-Z]{26}|[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}`,
].join("|");

const at = "(?:[@＠﹫]|%40)";
const lastAt = new RegExp(`${at}(?!.*${at})`, "s");
const address = (gap: string) => String.raw`[\p{L}\p{M}\p{N}._+-]{1,100}${gap}${at}${gap}[\p{L}\p{M}\p{N}.-]{1,100}`;
const number = String.raw`[+(]{0,2}\p{Nd}(?:${separator}\p{Nd}){5,}`;
/** A number goes on behind a separator: it could be a longer one, which is split. */
const [before, after] = [String.raw`(?<![\p{L}\p{N}.])`, String.raw`(?!\p{L}|${separator}\p{N})`];
const mobileOrAddress = new RegExp(String.raw`${address("")}|(?<!\d)(?:91[ -]?)?[6-9]\d{4}[ -]?\d{5}(?!\d)`, "gu");
const sensitive = new RegExp(`(${address(" ?")})|(${before}(?:${plain})${after})|${number}`, "gu");

/** A fixed limit: the length of a long value is nobody's business. */
function dots(count: number): string {
  return "•".repeat(Math.min(Math.max(count, 0), 12));
}

/** Deeper values are left out: nothing of the service nests so far. */
const maxDepth = 12;

/** Called with a string, number, boolean or null and the name of its field, which the elements of a list share. */
type Mask = (scalar: unknown, name: string) => unknown;

/**
 * Returns a copy of a JSON value in which `mask` has replaced each string, number, boolean and null. Numbers and
 * addresses in the names of fields are masked too.
 */
export function maskFields(value: unknown, mask: Mask, name = ""): unknown {
  return copy(value, mask, maskMessage, name);
}

/** Returns a copy of a JSON value without what nests too deep for functions that recurse, as `JSON.stringify` does. */
export function withoutDeepFields(value: unknown): unknown {
  return copy(value, (scalar) => scalar);
}

function copy(value: unknown, mask: Mask, nameOf = (key: string) => key, name = "", depth = 0): unknown {
  if (typeof value !== "object" || value === null) return mask(value, name);
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) return value.map((element) => copy(element, mask, nameOf, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [nameOf(key), copy(inner, mask, nameOf, key, depth + 1)]),
  );
}
