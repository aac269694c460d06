import { field, parseJson } from "../../shared/json.ts";
import type { EmulatedResponse } from "../http/messages.ts";
import type { Settings } from "./settings.ts";

/** Applies the option `failureStatus`. A success keeps its status, which is 200. */
export function withFailureStatus(
  response: EmulatedResponse,
  { failureStatus }: Pick<Settings, "failureStatus">,
): EmulatedResponse {
  if (failureStatus === undefined) return response;
  return { ...response, status: failureStatus === 200 ? 200 : (failureCode(response) ?? response.status) };
}

/** Returns the status code in the body of a refusal, in the style of either area (§1). */
function failureCode({ body }: EmulatedResponse): number | undefined {
  if (typeof body !== "string") return undefined;
  const parsed = parseJson(body);
  const status = field(parsed, "status");
  if (typeof status === "string" && status.toUpperCase() === "SUCCESS") return undefined;
  const code = Number(field(parsed, "status_code") ?? field(parsed, "statusCode"));
  return Number.isInteger(code) && code >= 400 && code <= 599 ? code : undefined;
}
