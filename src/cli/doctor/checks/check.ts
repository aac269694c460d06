/** The result of a check. */
export type CheckState = "ok" | "warning" | "failed" | "notChecked";

/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly state: CheckState;
  /** The finding, or the reason why it was not checked. Never the value of a setting. */
  readonly detail: string;
  /** The next step for the user. */
  readonly advice?: string;
}

/** Checks under a title. */
export interface CheckGroup {
  readonly title: string;
  readonly checks: readonly Check[];
}

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail });

const advising =
  (state: CheckState) =>
  (name: string, detail: string, advice: string): Check => ({
    ...{ name, state, detail, advice },
  });
export const warning = advising("warning");
export const failed = advising("failed");

/** @param advice - How it can be checked. */
export const notChecked = (name: string, detail: string, advice?: string): Check => ({
  ...{ name, state: "notChecked", detail },
  ...(advice !== undefined && { advice }),
});

/** Returns whether none of the checks has failed. */
export function noneFailed(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== "failed");
}
