import type { Area } from "../../options.ts";
import { type Answer, json } from "../http/response.ts";

/** Whom a refusal is for. */
export interface Refused {
  readonly area: Area;
  /** The header `client-id`, which verification echoes (§7.1). */
  readonly clientId: string;
}

/** A refusal in the style of the operation's area (§1): lower case and `statusCode` for verification, else upper case. */
export function refusal(
  { area, clientId }: Refused,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const body =
    area === "verification"
      ? { status: "failed", statusCode: `${status}`, message, clientData: { client_id: clientId } }
      : { status: "FAILED", status_code: `${status}`, message };
  return json(status, body, headers);
}
