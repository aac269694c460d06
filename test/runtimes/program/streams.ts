import type { StreamOptions } from "../../../src/index.ts";
import type { Context } from "./context.ts";
import { outcomeOf } from "./describe.ts";

/** AI streams: read to the end, cut, stalled, left by `break`, aborted. */
export async function runStreams(context: Context): Promise<void> {
  await print(context, "streamToTheEnd", "stream", async (stream) => {
    const events: unknown[] = [];
    for await (const { event } of stream) events.push(event);
    return { state: stream.state, events, text: stream.partialText };
  });
  await print(context, "streamCut", "streamCut", (stream) => stream.finalText());
  await print(context, "streamStalled", "streamHold", (stream) => stream.finalText(), { stream: { idleTimeout: 150 } });
  await print(context, "streamClosed", "close", (stream) => stream.finalText());
  await print(context, "streamRefused", "status:401", (stream) => stream.finalText());
  await print(context, "streamBusy", "busy", (stream) => stream.finalText());

  await print(context, "streamLeft", "streamHold", async (stream) => {
    for await (const { event } of stream) if (event === "response_output") break;
    return { state: stream.state, isConnectionClosed: await context.happened("closed", "streamLeft") };
  });

  const controller = new AbortController();
  await print(
    context,
    "streamAborted",
    "streamHold",
    async (stream) => {
      for await (const { event } of stream) {
        if (event === "response_output") controller.abort(new Error("enough"));
      }
    },
    { signal: controller.signal },
  );
  context.print("streamAbortedConnection", { isConnectionClosed: await context.happened("closed", "streamAborted") });
}

type AiStream = ReturnType<ReturnType<Context["client"]>["ai"]["stream"]>;

async function print(
  context: Context,
  scenario: string,
  behaviour: string,
  read: (stream: AiStream) => Promise<unknown>,
  options?: StreamOptions,
): Promise<void> {
  const api = context.client({ baseUrl: context.address(scenario, behaviour) });
  const stream = api.ai.stream(context.settings.requests.createResponse, options);
  const outcome = await outcomeOf(context.host.serviceapi, () => read(stream));
  context.print(scenario, { ...outcome, state: stream.state, partialText: stream.partialText });
}
