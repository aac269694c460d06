import { type EmulatedResponse, json } from "../http/messages.ts";
import { failure } from "../service/refusals.ts";

/** Returns the body of a success of §4.3–§4.5. */
export function successBody(message: string, trace_id: string, result: unknown) {
  return { status: "SUCCESS", status_code: "200", message, data: { trace_id, result } };
}

/** Returns a success of §4.3–§4.5. */
export function success(message: string, trace_id: string, result: unknown): EmulatedResponse {
  return json(200, successBody(message, trace_id, result));
}

/** Returns a refusal in the words of a flight operation. The document shows neither its code nor its HTTP status (§7.2). */
export function refuseFlight(message: string, code = 400, status = 200): EmulatedResponse {
  return json(status, failure(code, message));
}
