/** Reads an environment variable, if the runtime has them and allows it. */
export function readEnvironment(name: string): string | undefined {
  return mayRead(name) ? (globalThis as WithEnvironment).process?.env?.[name] : undefined;
}

/** Returns what to add to "set this variable" if the runtime does not allow reading it; else an empty string. */
export function environmentNote(name: string): string {
  return mayRead(name) ? "" : ` and allow reading it (Deno: --allow-env=${name})`;
}

function mayRead(variable: string): boolean {
  const { Deno, process } = globalThis as WithEnvironment;
  try {
    // To read without --allow-env would ask whoever sits at the terminal, or throw.
    const permission = Deno?.permissions?.querySync?.({ name: "env", variable });
    if (permission !== undefined) return permission.state === "granted";
    process?.env?.[variable];
    return true;
  } catch {
    return false;
  }
}

interface WithEnvironment {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly Deno?: {
    readonly permissions?: { querySync?(permission: { name: "env"; variable: string }): { readonly state: string } };
  };
}
