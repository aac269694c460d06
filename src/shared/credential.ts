import { decodeUtf8 } from "./bytes.ts";

/**
 * Returns what is wrong with a credential, such as `is missing or empty`, and what to do, without quoting it; undefined
 * if it can be one. A program that stringifies what is missing has a credential that anybody can guess.
 *
 * @param alphabet - `ascii` for visible ASCII, as headers carry it; `text` for letters, digits, punctuation, symbols and
 *   spaces of any language.
 */
export function credentialComplaint(value: unknown, alphabet: "ascii" | "text" = "ascii"): string | undefined {
  if (value === undefined || value === "") return "is missing or empty";
  if (typeof value !== "string") return "must be a string";
  return textComplaint(value) ?? (alphabet === "ascii" ? asciiComplaint(value) : printableComplaint(value));
}

/** Returns what is wrong with the bytes of a key, as {@link credentialComplaint} does. */
export function keyComplaint(bytes: Uint8Array): string | undefined {
  // HMAC pads a key with zero bytes: a key of nothing else is an empty one.
  if (bytes.every((byte) => byte === 0)) return "is missing or empty, or has only zero bytes";
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : textComplaint(text);
}

function textComplaint(text: string): string | undefined {
  if (text.trim() === "") return "is missing or empty";
  return refused.find(([pattern]) => pattern.test(text))?.[1] ?? emptinessOf(text);
}

const nothing = "is the string of a missing value, such as undefined or null: set the variable that it comes from";

const refused: readonly (readonly [pattern: RegExp, complaint: string])[] = [
  [/^\s|\s$/, "begins or ends with white space, as a value read from a file often does: trim it"],
  [/^(["'`]).*\1$|^[“‘«].*[”’»]$/s, "is in quotes, which the env files of Docker keep: remove them"],
  // `${NAME}`, and a name or path in brackets: `$(NAME)`, `{{ secrets.NAME }}`, `<client-secret>`, `[object Object]`.
  [
    /\$\{[\w.:-]*\}|^(?:[$%#]?(?:\{{1,2}|<|\(|\[)[\w .:/|-]*(?:\}{1,2}|>|\)|\])|\$[A-Z_][A-Z\d_]*|%\w+%)$/,
    "is a placeholder, or the string of an object: pass the value itself",
  ],
  // With a prefix: `whsec_undefined`, `Bearer null`.
  [/[\W_](?:undefined|null|NaN|\[object \w+\])$/, nothing],
  [/^(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)/, "is the source of a function: pass the function itself"],
];

/** Returns the complaint about a string of nothing but punctuation and words for nothing. A masked value (`••••`) is one. */
function emptinessOf(text: string): string | undefined {
  const rest = text.replaceAll(/undefined|null|nan|infinity|none|nil|true|false/gi, "");
  if (/[^\s!-/:-@[-`{-~\u2000-\u2bff]/.test(rest)) return undefined;
  return rest === text ? "has no letters or digits" : nothing;
}

function asciiComplaint(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? undefined : "must be visible ASCII characters without spaces";
}

let printable: RegExp | undefined;

function printableComplaint(text: string): string | undefined {
  // biome-ignore lint/complexity/useRegexLiterals: a literal is parsed with its module, and these classes are slow
  printable ??= new RegExp("^(?:(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ])+$", "u");
  return printable.test(text) ? undefined : "has control characters or invisible characters: remove them";
}
