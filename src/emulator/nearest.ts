/** The names most like a text, best first: half of their pairs of letters are the same. */
export function nearest(text: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, likeness: likeness(text, name) }))
    .filter((candidate) => candidate.likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, 5)
    .map(({ name }) => name);
}

/** From 0 to 1, by Sørensen and Dice. */
function likeness(a: string, b: string): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return (2 * shared) / (left.size + right.size);
}

function pairsOf(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)));
}
