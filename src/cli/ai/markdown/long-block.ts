import type { Token } from "marked";

/** Characters of the longest block that is drawn whole: each drawing reads the block again. */
export const maxPart = 16_000;
/** Longer openings are left out: a part must be shorter than the rest of its block. */
const maxOpening = 1_000;

/** Returns the start of a long text, up to a line that is not indented, or else a line, or a word. */
export function cutPart(source: string): string {
  const part = source.slice(0, maxPart);
  for (const boundary of [/\n(?=\S)/g, /\n/g, / /g]) {
    const end = [...part.matchAll(boundary)].at(-1)?.index ?? 0;
    if (end > maxPart / 2) return part.slice(0, end + 1);
  }
  // Half of a character would be none.
  return part.replace(/[\ud800-\udbff]$/, "");
}

/** Returns what the rest of a block needs before it, after its start `part`: a fence, or the head of a table. */
export function openingOf([block]: readonly Token[], part: string): string {
  const opening = openings[block?.type ?? ""]?.(part) ?? "";
  return opening.length > maxOpening ? "" : opening;
}

const openings: Readonly<Record<string, (part: string) => string | undefined>> = {
  code(part) {
    const [line, fence] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n/.exec(part) ?? [];
    const isClosed = fence !== undefined && new RegExp(`\\n {0,3}${fence}[\`~]* *\\n*$`).test(part);
    return isClosed ? undefined : line;
  },
  table(part) {
    return part.endsWith("\n\n") ? undefined : /^[^\n]*\n[^\n]*\n/.exec(part)?.[0];
  },
};
