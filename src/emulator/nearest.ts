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

/** A sentence that says what was probably meant, or else what there is. */
export function hint(text: string, names: readonly string[]): string {
  const near = nearest(text, names);
  return near.length > 0 ? `Did you mean ${near.join(", ")}?` : `Known are ${names.join(", ")}.`;
}
