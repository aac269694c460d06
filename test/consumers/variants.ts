import type { Consumer } from "./consumers.ts";

export type Result = "passed" | "failed" | "skipped";

/** A row of the table. */
export interface Row {
  readonly consumer: Consumer;
  readonly variant: string;
  readonly result: Result;
  readonly seconds: number;
  /** What a failure printed, or why a variant was skipped. */
  readonly output: string;
}

export interface Ended {
  /** `undefined` if it was killed. */
  readonly code: number | undefined;
  readonly output: string;
  readonly seconds: number;
}

/** The rows of a consumer whose script has ended: those that it printed, otherwise one. */
export function rowsOf(consumer: Consumer, { code, output, seconds }: Ended): readonly Row[] {
  const lines = output.split("\n");
  const variants = lines.filter(isVariant).map((line) => readVariant(consumer, line));
  const other = lines.filter((line) => !isVariant(line)).join("\n");
  const whole: Row = { consumer, variant: "", result: code === 0 ? "passed" : "failed", seconds, output: other };
  if (variants.length === 0) return [whole];
  // A script that fails beside its variants has failed at something that none of them names.
  const explained = code === 0 || variants.some(({ result }) => result === "failed");
  return explained ? variants : [...variants, whole];
}

const isVariant = (line: string): boolean => line.startsWith('{"variant":');

function readVariant(consumer: Consumer, line: string): Row {
  try {
    const { variant, result, seconds = 0, output = "" } = JSON.parse(line) as Partial<Row>;
    if (typeof variant === "string" && typeof seconds === "number" && typeof output === "string") {
      if (result === "passed" || result === "failed" || result === "skipped") {
        return { consumer, variant, result, seconds, output };
      }
    }
  } catch {
    // A line that is cut short counts as a failure too.
  }
  return { consumer, variant: "?", result: "failed", seconds: 0, output: `not a line of a variant: ${line}` };
}
