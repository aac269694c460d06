import leven from "leven";

/** The names most like a text, best first: a third of its letters may be wrong. */
export function nearest(text: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, away: leven(text, name) }))
    .filter(({ away }) => away <= text.length / 3)
    .sort((a, b) => a.away - b.away)
    .slice(0, 5)
    .map(({ name }) => name);
}
