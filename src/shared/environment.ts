/** Reads an environment variable, if the runtime has them and allows it. */
export function readEnvironment(name: string): string | undefined {
  try {
    return (globalThis as WithEnvironment).process?.env?.[name];
  } catch {
    return undefined; // Deno throws without --allow-env.
  }
}

/** Returns what to add to "set this variable" if the runtime does not allow reading it; else an empty string. */
export function environmentNote(name: string): string {
  try {
    (globalThis as WithEnvironment).process?.env?.[name];
    return "";
  } catch {
    return ` and allow reading it (Deno: --allow-env=${name})`;
  }
}

interface WithEnvironment {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}
