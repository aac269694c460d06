/** A response of the service, recorded as a sample. */
export interface Sample {
  /** HTTP status. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns a table of samples by name, from rows of `[HTTP status, body]`. */
export function catalogue<Name extends string>(
  rows: Readonly<Record<Name, readonly [number, Readonly<Record<string, unknown>>]>>,
): Readonly<Record<Name, Sample>> {
  const table: Record<string, Sample> = {};
  for (const name in rows) {
    const [status, body] = rows[name];
    table[name] = { status, body };
  }
  // By now it holds every name of `rows`.
  return table as Readonly<Record<Name, Sample>>;
}
