/** Returns the values from which a search starts, and all to which they lead, directly or through one another. */
export function reachableFrom<T>(starts: Iterable<T>, next: (value: T) => Iterable<T>): ReadonlySet<T> {
  const reached = new Set<T>();
  const visit = (value: T) => {
    if (reached.has(value)) return;
    reached.add(value);
    for (const other of next(value)) visit(other);
  };
  for (const value of starts) visit(value);
  return reached;
}
