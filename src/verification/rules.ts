/** The rules that the document states for a result (§2.2). */

/** Returns whether a string has the form `<mobile>@<handle>`. The part before the `@` may be a name. */
export function isVpa(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** Returns whether `count` is the number of VPAs; true if it is not a number, or there is no list. */
export function countsVpas(value: object): boolean {
  const { count, vpaList }: { readonly count?: unknown; readonly vpaList?: unknown } = value;
  return typeof count !== "number" || !Array.isArray(vpaList) || count === vpaList.length;
}
