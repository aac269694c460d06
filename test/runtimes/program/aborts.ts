import { type Context, operations } from "./context.ts";
import { outcomeOf } from "./describe.ts";

/**
 * Aborts calls that wait for an answer and calls that read one; the latter also after garbage collections, which used to
 * cut the line from a signal to a body that is being read (nodejs/undici#3644).
 */
export async function runAborts(context: Context): Promise<void> {
  for (const operation of Object.keys(operations) as (keyof typeof operations)[]) {
    for (const isReading of [false, true]) {
      const scenario = `${isReading ? "abortWhileReading" : "abortWhileWaiting"}.${operation}`;
      const answered = Promise.withResolvers<void>();
      const api = context.client({
        baseUrl: context.address(scenario, isReading ? "stallBody" : "stall"),
        onEvent: ({ type }) => type === "response" && answered.resolve(),
      });
      const controller = new AbortController();
      const call = outcomeOf(context, () =>
        operations[operation](api, context.settings.requests, { signal: controller.signal }),
      );
      await (isReading ? answered.promise : context.happened("received", scenario));
      await collectGarbage(context);
      controller.abort(new Error("enough"));
      context.print(scenario, { ...(await call), isConnectionClosed: await context.happened("closed", scenario) });
    }
  }
  await abortOwnReader(context);
}

/** The caller reads the bare response by itself; the signal has to reach that body, too. */
async function abortOwnReader(context: Context): Promise<void> {
  const scenario = "abortOwnReader";
  const api = context.client({ baseUrl: context.address(scenario, "stallBody") });
  const controller = new AbortController();
  const reader = await openReader(context, api, controller.signal);
  await reader.read();
  const rest = reader.read().then(
    () => "went on",
    () => "ended",
  );
  await collectGarbage(context);
  controller.abort(new Error("enough"));
  context.print(scenario, { answer: await rest, isConnectionClosed: await context.happened("closed", scenario) });
}

/** In a function of its own, so that nothing but the reader is held when garbage is collected. */
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
