/** The rows of the table in which a race or a soak accounts for what happened. */

export interface Account {
  readonly what: string;
  readonly count: number;
  /** `none`: any is a broken promise. `some`: without any, nothing was shown. */
  readonly expected: "none" | "some" | "any";
  /** Some of what was counted. */
  readonly examples: readonly unknown[];
}

export function isBroken({ count, expected }: Account): boolean {
  return (expected === "none" && count > 0) || (expected === "some" && count === 0);
}

const account =
  (expected: Account["expected"]) =>
  /** Counts those of which the promise speaks; by default all. */
  <T>(what: string, among: number | readonly T[], isCounted: (one: T) => boolean = () => true): Account => {
    const counted = typeof among === "number" ? [] : among.filter(isCounted);
    const count = typeof among === "number" ? among : counted.length;
    return { what, count, expected, examples: counted.slice(0, 3) };
  };

export const any = account("any");
export const some = account("some");
export const none = account("none");

/** The count in a guide. */
export const shownCount = (account: Account): string =>
  `${account.count.toLocaleString("en")}${isBroken(account) ? ": BROKEN" : ""}`;
