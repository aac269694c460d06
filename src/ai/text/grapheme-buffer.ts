/**
 * More UTF-16 units than any real character takes: text without an end to its characters is not held back indefinitely.
 */
const maxCharacterLength = 256;

/**
 * Passes text on in whole characters as a person sees them. A chunk may end inside a surrogate pair, before the vowel
 * sign of a Devanagari syllable, or within a family of emoji, and a screen must not flicker through halves.
 */
export class GraphemeBuffer {
  #segmenter: Intl.Segmenter | undefined;
  #held = "";

  /** Returns the characters that are whole for certain. The last one waits, because what follows may belong to it. */
  push(chunk: string): string {
    const text = this.#held + chunk;
    const end = this.#certain(text);
    this.#held = text.slice(end);
    return text.slice(0, end);
  }

  /** Returns the text that is left at the end. */
  flush(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }

  #certain(text: string): number {
    // White space begins no character that goes on.
    if (text === "" || /[ \n\t]$/.test(text)) return text.length;
    // Half a character says nothing of whether it belongs to the one before it.
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    const last = end === 0 ? 0 : this.#startOfLast(text.slice(0, end));
    return end - last > maxCharacterLength ? end : last;
  }

  #startOfLast(text: string): number {
    // The text begins with a whole character, but counting from there is only needed as far as one can reach.
    let from = Math.max(0, text.length - 4 * maxCharacterLength);
    if (isLowSurrogate(text.charCodeAt(from))) from--;
    // Two regional indicators make a flag: counted from inside their run, the pairs would come out wrong.
    while (isRegionalIndicator(text.codePointAt(from - 2))) from -= 2;
    this.#segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    const tail = text.slice(from);
    return from + (this.#segmenter.segment(tail).containing(tail.length - 1)?.index ?? 0);
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function isRegionalIndicator(codePoint = 0): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff;
}
