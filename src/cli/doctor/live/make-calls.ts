import { isServiceApiError } from "../../../errors/any.ts";
import { nodeFetch } from "../../../node/node-fetch.ts";
import { type ClientOptions, defaults } from "../../../options.ts";
import { ServiceApi } from "../../../service-api.ts";
import { isOf } from "./assumption.ts";
import { type CallRecord, callRecord } from "./call-record.ts";
import { isPathUnknown } from "./failures.ts";
import type { LiveFlags, PlannedCall } from "./plan.ts";
import { type Recorder, record } from "./recorder.ts";

/** By default a stream has no timeout, and one that never ends would keep the other calls waiting. */
const defaultStreamTimeout = 180_000;

/**
 * Makes the calls, one after the other and each once: a retry would cost what nobody allowed. If the AI path is not
 * found, nothing can have been done there: the AI calls are then made at the second published form, if its leading
 * segment is known.
 */
export async function makeCalls(
  calls: readonly PlannedCall[],
  options: ClientOptions,
  { leadingSegment, idleTimeout, streamTimeout = defaultStreamTimeout }: LiveFlags,
): Promise<readonly CallRecord[]> {
  const send = nodeFetch();
  const recorder = record(send);
  const prefix = options.pathPrefixes?.ai ?? defaults.pathPrefixes.ai;
  let api = new ServiceApi({
    ...options,
    maxRetries: 0,
    stream: { idleTimeout, timeout: streamTimeout },
    fetch: recorder.fetch,
  });
  let second = leadingSegment && api.withOptions({ pathPrefixes: { ai: `${leadingSegment}/${prefix}` } });
  const records: CallRecord[] = [];
  try {
    for (const call of calls) {
      const first = await make(call, api, recorder);
      records.push(first);
      if (!second || !isOf("ai", call) || !isPathUnknown(first)) continue;
      api = second;
      second = undefined;
      records.push(await make(call, api, recorder));
    }
    return records;
  } finally {
    send.close();
  }
}

async function make(call: PlannedCall, api: ServiceApi, recorder: Recorder): Promise<CallRecord> {
  const startedAt = performance.now();
  try {
    const sent = await call.send(api);
    return callRecord(call, performance.now() - startedAt, recorder.take().at(-1), sent);
  } catch (error) {
    if (!isServiceApiError(error) || error.kind === "configuration" || error.kind === "request_validation") throw error;
    return callRecord(call, performance.now() - startedAt, recorder.take().at(-1), { error });
  }
}
