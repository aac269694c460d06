import type * as ServiceApiEntry from "../../../src/index.ts";

/** The response or error of a call, as it is printed: the same on every runtime except for the field `runtime`. */
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
  /** Which deadline, which phase, or why a response could not be read. */
  readonly detail?: string;
  readonly httpStatus?: unknown;
  readonly cause?: DescribedError;
  /** The code and message of the runtime's error. */
  readonly runtime?: { readonly code?: unknown; readonly message?: string | undefined };
}

/** Waits for the work and describes its outcome. */
export async function outcomeOf(serviceapi: Library, work: () => PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() };
  } catch (error) {
    return { error: describeError(error, serviceapi) };
  }
}

type Library = Pick<typeof ServiceApiEntry, "ServiceApiError">;

function describeError(error: unknown, serviceapi: Library): DescribedError {
  const { ServiceApiError } = serviceapi;
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
      ? { cause: describeError(cause, serviceapi) }
      : { runtime: { code: read("code"), message: cause instanceof Error ? cause.message : undefined } }),
  };
}
