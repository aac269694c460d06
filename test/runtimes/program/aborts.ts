import { type Context, operationNames, operations } from "./context.ts";
import { outcomeOf } from "./describe.ts";

/**
 * Aborts calls that wait for a response and calls that read one; the latter also after garbage collections, which used
 * to cut the line from a signal to a body that is being read (nodejs/undici#3644).
 */
export async function runAborts(context: Context): Promise<void> {
  for (const operation of operationNames) {
    for (const isReading of [false, true]) {
      const scenario = `${isReading ? "abortWhileReading" : "abortWhileWaiting"}.${operation}`;
      const api = context.client({ baseUrl: context.address(scenario, isReading ? "stallBody" : "stall") });
      const answered = isReading ? headersArrived() : context.happened("received", scenario);
      const controller = new AbortController();
      const call = outcomeOf(context.host.serviceapi, () =>
        operations[operation](api, context.settings.requests, { signal: controller.signal }),
      );
      await answered;
      await collectGarbage(context);
      controller.abort(new Error("enough"));
      context.print(scenario, { ...(await call), isConnectionClosed: await context.happened("closed", scenario) });
    }
  }
  await abortOwnReader(context);
}

/** Resolves when the next `fetch` has its headers; the library looks `fetch` up at each call. */
function headersArrived(): Promise<void> {
  const { fetch } = globalThis;
  return new Promise((resolve) => {
    globalThis.fetch = async (...request) => {
      globalThis.fetch = fetch;
      const response = await fetch(...request);
      resolve();
      return response;
    };
  });
}

/** The caller reads the bare response itself; the signal has to reach that body, too. */
async function abortOwnReader(context: Context): Promise<void> {
  const scenario = "abortOwnReader";
  const api = context.client({ baseUrl: context.address(scenario, "stallBody") });
  const controller = new AbortController();
  const reader = await openReader(context, api, controller.signal);
  await reader.read();
  const rest = reader.read().then(
    ({ done }) => (done ? "cancelled" : "went on"),
    () => "ended",
  );
  await collectGarbage(context);
  controller.abort(new Error("enough"));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const never = new Promise((resolve) => {
    timer = setTimeout(() => resolve("still waiting"), 60_000);
  });
  const answer = await Promise.race([rest, never]).finally(() => clearTimeout(timer));
  await reader.cancel().catch(() => {});
  context.print(scenario, { answer, isConnectionClosed: await context.happened("closed", scenario) });
}

/** In a separate function, so that nothing but the reader is held when garbage is collected. */
async function openReader(
  context: Context,
  api: ReturnType<Context["client"]>,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await api.verification.findVpas(context.settings.requests.findVpas, { signal }).asResponse();
  if (response.body === null) throw new Error("the answer has no body");
  return response.body.getReader();
}

async function collectGarbage({ host }: Context): Promise<void> {
  for (let round = 0; round < 5; round++) {
    host.collectGarbage?.();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
