export type CheckState = "ok" | "warning" | "failed" | "notChecked";

export interface Check {
  readonly name: string;
  readonly state: CheckState;
  /** The finding, or the reason why it was not checked. Never the value of a setting. */
  readonly detail: string;
  readonly advice?: string;
}

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

export function noneFailed(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== "failed");
}
