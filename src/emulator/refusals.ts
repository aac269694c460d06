import type { Area } from "../operation.ts";
import { type Answer, json } from "./answer.ts";

/** A refusal in the style of the operation's area (§1): lower case and `statusCode` for verification, else upper case. */
export function refusal(
  area: Area,
  status: number,
  message: string,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body =
    area === "verification"
      ? { status: "failed", statusCode: `${status}`, message, ...extra }
      : { status: "FAILED", status_code: `${status}`, message, ...extra };
  return json(status, body, headers);
}
