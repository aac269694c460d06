import { spellingsOf } from "./forms.ts";

/** The kinds of values that nobody may read. */
export type Kind = "a secret" | "personal data";

interface Needle {
  readonly kind: Kind;
  readonly spelled: string;
  readonly form: string;
}

/** An ordinary word would be found everywhere. */
const minLength = 4;
/** A shorter value, or a number, counts as a whole word only: the digits of a duration hold many numbers. */
const partOfWord = /^(?!\d+$).{8}/;

/** Finds any of many values, in all spellings, in one pass. */
export class Finder {
  readonly #values = new Set<string>();
  /** By the hash of the first four characters. */
  readonly #byHash = new Map<number, Needle[]>();
  /** Whether a hash has needles: quicker than the map. */
  readonly #hashes = new Uint8Array(1 << 16);

  add(kind: Kind, value: string): void {
    if (value.length < minLength || this.#values.has(value)) return;
    this.#values.add(value);
    for (const [spelled, form] of spellingsOf(value)) {
      const hash = hashAt(spelled, 0);
      this.#hashes[hash] = 1;
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), { kind, spelled, form }]);
    }
  }

  /** Returns the first value of each kind in a string, with the characters before it. */
  find(text: string): readonly { readonly kind: Kind; readonly form: string; readonly before: string }[] {
    const found = new Map<Kind, { kind: Kind; form: string; before: string }>();
    for (let at = 0; at + minLength <= text.length; at++) {
      const hash = hashAt(text, at);
      if (this.#hashes[hash] === 0) continue;
      for (const { kind, spelled, form } of this.#byHash.get(hash) ?? []) {
        if (found.has(kind) || !text.startsWith(spelled, at)) continue;
        if (!partOfWord.test(spelled) && !isWord(text, at, spelled.length)) continue;
        found.set(kind, { kind, form, before: text.slice(Math.max(0, at - 60), at) });
      }
    }
    return [...found.values()];
  }
}

function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 29_791 + text.charCodeAt(at + 1) * 961;
  return (first + text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3)) & 0xffff;
}

function isWord(text: string, at: number, length: number): boolean {
  return !/[\w.]/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + length));
}
