/** A value that nobody may read, and the name of each spelling of it. */
export type Spelling = readonly [text: string, form: string];

/** Shorter parts of an encoding occur by chance. */
const minEncoded = 8;

/** Returns the spellings in which a value can get out: as it is, escaped, and encoded, also as a part of more bytes. */
export function spellingsOf(value: string): readonly Spelling[] {
  const bytes = Buffer.from(value, "utf8");
  const encoded: readonly Spelling[] = [
    ...[0, 1, 2].flatMap((offset): Spelling[] => [
      [base64At(bytes, offset, "base64"), "base64"],
      [base64At(bytes, offset, "base64url"), "base64url"],
    ]),
    ...bothCases(bytes.toString("hex"), "hex"),
    // As `console.log` and `JSON.stringify` show bytes.
    [bytes.toString("hex").replaceAll(/..(?=.)/g, "$& "), "hex of a Buffer"],
    [[...bytes].join(","), "bytes"],
    [[...bytes].join(", "), "bytes"],
    ...[encodeURIComponent(value), encodeURI(value), String(new URLSearchParams([["", value]])).slice(1)].flatMap(
      (text) => percentCases(text),
    ),
    ...[escaped(value), escaped(value).replaceAll("/", "\\/")].flatMap((text): Spelling[] => [
      [text, "JSON"],
      [escaped(text), "JSON in JSON"],
    ]),
  ];
  const all: readonly Spelling[] = [[value, "plain"], ...encoded.filter(([text]) => text.length >= minEncoded)];
  return [...new Map(all.toReversed()).entries()];
}

/** The characters of Base64 that depend on the value alone, wherever it begins in the encoded bytes. */
function base64At(bytes: Buffer, offset: number, alphabet: "base64" | "base64url"): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString(alphabet);
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function bothCases(text: string, form: string): readonly Spelling[] {
  return [
    [text, form],
    [text.toUpperCase(), form],
  ];
}

function percentCases(text: string): readonly Spelling[] {
  return [
    [text, "URL"],
    [text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()), "URL"],
  ];
}
