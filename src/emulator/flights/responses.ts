import type { Sample } from "../catalogue/sample.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";

/** Returns the body of a success of §4.3–§4.5. */
export function successBody(message: string, trace_id: string, result: unknown) {
  return { status: "SUCCESS", status_code: "200", message, data: { trace_id, result } };
}

/** Returns a success of §4.3–§4.5. */
export function success(message: string, trace_id: string, result: unknown): EmulatedResponse {
  return json(200, successBody(message, trace_id, result));
}

/** Returns a sample as it stands. */
export function sampleResponse({ status, body }: Sample): EmulatedResponse {
  return json(status, body);
}
