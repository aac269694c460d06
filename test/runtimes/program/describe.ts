import type { Context } from "./context.ts";

/**
 * The answer or the error of a call, as it is printed: the same on every runtime but for what stands under `runtime`.
 */
export interface Outcome {
  readonly answer?: unknown;
  readonly error?: DescribedError;
}

export interface DescribedError {
  readonly name: string;
  readonly kind?: unknown;
  readonly outcome?: unknown;
  readonly attempts?: unknown;
  readonly isRetryable?: unknown;
  /** Which deadline, which phase, or why an answer could not be read. */
  readonly detail?: string;
  readonly httpStatus?: unknown;
  readonly cause?: DescribedError;
  /** What the runtime called it. */
  readonly runtime?: { readonly code?: unknown; readonly message?: string | undefined };
}

/** Waits for the work and describes what came of it. */
export async function outcomeOf(context: Context, work: () => PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    return { error: describeError(error, context) };
  }
}

function describeError(error: unknown, context: Context): DescribedError {
  const { ServiceApiError } = context.host.serviceapi;
  if (!ServiceApiError.isInstance(error)) {
    return { name: "not an error of ours", runtime: { message: String(error) } };
  }
  const { name, kind, outcome, attempts, isRetryable, cause } = error;
  const read = (field: string): unknown => (error as unknown as Record<string, unknown>)[field];
  return {
    name,
    kind,
    outcome,
    attempts,
    isRetryable,
    detail: ["deadline", "phase", "reason"]
      .map(read)
      .filter((word) => typeof word === "string")
      .join(" "),
    httpStatus: read("httpStatus"),
    ...(ServiceApiError.isInstance(cause)
      ? { cause: describeError(cause, context) }
      : { runtime: { code: read("code"), message: cause instanceof Error ? cause.message : undefined } }),
  };
}
