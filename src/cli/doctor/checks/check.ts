export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed" | "notChecked";
  /** The finding, or the reason why it was not checked. Never the value of a setting. */
  readonly detail: string;
  readonly advice?: string | undefined;
}

const stating =
  (state: Check["state"]) =>
  (name: string, detail: string, advice?: string): Check => ({ name, state, detail, advice });
export const ok = stating("ok");
export const warning = stating("warning");
export const failed = stating("failed");
export const notChecked = stating("notChecked");

export function noneFailed(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== "failed");
}
