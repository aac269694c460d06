import type { OperationResponse } from "../../operation.ts";
import { childrenOf, field, isList, isObjectOrList, trimmedScalar } from "../../shared/json.ts";
import { classifiable } from "../../transport/classify.ts";
import { echoOfRequest, normalizeKey } from "./reference.ts";

/** The strings in a response to `book`. */
export interface ResponseStrings {
  /** Those about the call itself, by the service or a gateway: in `message` and similar fields of the outer levels. */
  readonly messages: ReadonlySet<string>;
  /** All others: the `data` of a refusal may hold the booking that was made. */
  readonly others: ReadonlySet<string>;
  /** False if the response is longer than what is read. */
  readonly isWhole: boolean;
  /** Whether a flag such as `booked: true` says that something was done. */
  readonly isDone: boolean;
}

/** Most strings and values of a body, and most characters of a page, that are read. */
const limits = { strings: 200, values: 10_000, page: 16_000 };

/** Reads the strings in a response, without tokens and those of an echoed request. */
export function readStrings({ serviceMessage, body }: OperationResponse): ResponseStrings {
  const message = typeof body === "string" ? visible(body) : (serviceMessage ?? "");
  const messages = new Set([classifiable(message)]);
  const others = new Set<string>();
  if (!isObjectOrList(body)) {
    others.add(message.slice(0, limits.page));
    return { messages, others, isWhole: message.length <= limits.page, isDone: false };
  }
  let isWhole = true;
  let isDone = false;
  const data = field(body, "data");
  const places = new Set<unknown>([body, data, field(data, "result")]);
  const queue = [{ value: body as unknown, isMessage: false }];
  // A loop: JSON may nest deeper than a stack.
  for (const { value, isMessage } of queue) {
    if (typeof value === "string" && !token.test(value)) {
      (isMessage ? messages : others).add(value);
      isWhole &&= classifiable(value) === value && messages.size + others.size <= limits.strings;
    }
    for (const [key, child] of isObjectOrList(value) ? childrenOf(value) : []) {
      isWhole &&= queue.length < limits.values;
      if (!isWhole) return { messages, others, isWhole, isDone };
      const name = normalizeKey(key);
      if (unread.has(name) || echoOfRequest.test(key)) continue;
      isDone ||= doneFlags.has(name) && isYes(child);
      const isMessageField = places.has(value) && (isList(value) || messageKeys.has(name));
      queue.push({ value: child, isMessage: isMessage || isMessageField });
    }
  }
  return { messages, others, isWhole, isDone };
}

/** Returns a page without its scripts and styles. */
function visible(page: string): string {
  const parts = page.split(/<(?=\/?(?:style|script)\b)/i);
  return parts.filter((part) => !/^s(?:tyle|cript)\b/i.test(part)).join(" ");
}

function isYes(value: unknown): boolean {
  return value === true || /^(true|yes|y|1)$/i.test(trimmedScalar(value));
}

const token = /^[\w+/=.:~-]{65,}$/;

/** Values of the request, and names of the call. */
const unread = new Set("traceid token clientreferenceid requestid correlationid operation method".split(" "));

/** Flags that say whether the booking was made. */
export const bookedFlags: ReadonlySet<string> = new Set(
  "success issuccess booked isbooked confirmed isconfirmed".split(" "),
);

/** A booking without its tickets is one all the same: a flag of these that is false denies nothing. */
const laterFlags =
  "seatsbooked ticketed isticketed hold held onhold isheld isonhold issued isissued paid ispaid exists isexisting";
const doneFlags = new Set([...bookedFlags, ...laterFlags.split(" ")]);

const messageKeys = new Set(
  (
    "message messages msg error errors errormessage errormsg errordescription errordetails description detail details " +
    "reason remark remarks airlineremark status state bookingstatus pnrstatus ticketstatus statusmessage statustext"
  ).split(" "),
);
