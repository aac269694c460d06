import { styleText } from "node:util";
import { field, parseJson, stringOf } from "../../shared/json.ts";
import { isCredentialHeader } from "../../transport/redact.ts";
import type { OutputFlags } from "../shared/action.ts";
import { cleanJson, cleanLine, cleanText } from "../shared/clean-text.ts";
import { formatTables } from "../shared/format-table.ts";
import { maskMessage } from "../shared/mask.ts";
import { maskEvent } from "./mask-event.ts";
import type { CheckVerdict, ReceivedDelivery } from "./receive.ts";

/** Longer bodies are cut. */
const maxShown = 2_000;

/** Formats a delivery, the verdict of each check and the acknowledgement. */
export function formatDelivery(delivery: ReceivedDelivery, { showPii = false }: OutputFlags): string {
  const { at, method, path, checks, acknowledgement, problem } = delivery;
  const status = stringOf(field(parseJson(acknowledgement.body), "status"));
  return [
    formatTables([
      {
        title: cleanLine(`${method} ${path}  ${at.toISOString()}`),
        rows: [
          ...delivery.headers.map(([name, value]) => [cleanLine(name), cleanLine(headerValue(name, value))] as const),
          ["", ""],
          ["body", formatBody(delivery.body, showPii)],
        ],
      },
    ]),
    ...(checks.length === 0 ? ["! no check ran"] : checks.map(formatVerdict)),
    `${styleText("bold", "acknowledged")} ${status} (HTTP ${acknowledgement.httpStatus})`,
    ...(problem === undefined ? [] : [cleanText(`! ${problem.reason}: ${maskUnless(showPii, problem.message)}`)]),
    "",
  ].join("\n");
}

/** Returns the same as JSON. */
export function jsonOf(delivery: ReceivedDelivery, { showPii = false }: OutputFlags): object {
  const { at, method, path, checks, acknowledgement, problem } = delivery;
  const event = parseJson(delivery.body);
  return {
    ...{ at, method, path, checks },
    headers: Object.fromEntries(delivery.headers.map(([name, value]) => [name, headerValue(name, value)])),
    body: event === undefined ? maskUnless(showPii, delivery.body) : showPii ? event : maskEvent(event),
    acknowledgement: { httpStatus: acknowledgement.httpStatus, body: parseJson(acknowledgement.body) },
    problem: problem === undefined ? null : { ...problem, message: maskUnless(showPii, problem.message) },
  };
}

function formatVerdict({ name, passed, message }: CheckVerdict): string {
  return passed ? styleText("green", `✔ ${name}`) : `${styleText("red", `✖ ${name}`)}: ${cleanText(message ?? "")}`;
}

function formatBody(body: string, showPii: boolean): string {
  const event = parseJson(body);
  if (event === undefined) return cleanText(maskUnless(showPii, body)).slice(0, maxShown) || "none";
  return cleanJson(JSON.stringify(showPii ? event : maskEvent(event), null, 2)).slice(0, maxShown);
}

function headerValue(name: string, value: string): string {
  // `--show-pii` does not show credentials either. A signature is no secret, and what one looks for here.
  return isCredentialHeader(name) && !/signature/i.test(name) ? "••••" : value;
}

function maskUnless(showPii: boolean, text: string): string {
  return showPii ? text : maskMessage(text);
}
