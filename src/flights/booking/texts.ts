import type { OperationResponse } from "../../operation.ts";
import { childrenOf, field, isList, isObjectOrList, trimmedScalar } from "../../shared/json.ts";
import { classifiable } from "../../transport/classify.ts";
import { echoOfRequest, plain } from "./reference.ts";

/** The texts of a response to `book`. */
export interface BookingTexts {
  /** The words of a service or a gateway about the call: in `message`, beside it, or in an object or a list there. */
  readonly messages: ReadonlySet<string>;
  /** All others: a refusal may have the booking that was made in its `data`. */
  readonly others: ReadonlySet<string>;
  /** Whether these are all of them, in full. */
  readonly isWhole: boolean;
  /** Whether a flag says that it was done. */
  readonly isDone: boolean;
}

/** Texts, values, and characters of a page; those beyond are not read. */
const limits = { texts: 200, values: 10_000, page: 16_000 };

/** Reads the texts of a response. Those of an echoed request, and tokens, are left out. */
export function textsOf({ serviceMessage, body }: OperationResponse): BookingTexts {
  const message = typeof body === "string" ? visible(body) : (serviceMessage ?? "");
  const messages = new Set([classifiable(message)]);
  const others = new Set<string>();
  if (!isObjectOrList(body)) return { messages, others: others.add(message), isWhole: true, isDone: false };
  let isWhole = true;
  let isDone = false;
  const data = field(body, "data");
  const places = new Set<unknown>([body, data, field(data, "result")]);
  const queue = [{ value: body as unknown, isMessage: false }];
  // A loop: JSON may nest deeper than a stack.
  for (const { value, isMessage } of queue) {
    if (typeof value === "string" && !token.test(value)) {
      (isMessage ? messages : others).add(value);
      isWhole &&= classifiable(value) === value && messages.size + others.size <= limits.texts;
    }
    for (const [key, child] of isObjectOrList(value) ? childrenOf(value) : []) {
      isWhole &&= queue.length < limits.values;
      if (!isWhole) return { messages, others, isWhole, isDone };
      const name = plain(key);
      if (unread.has(name) || echoOfRequest.test(key)) continue;
      isDone ||= flags.has(name) && isYes(child);
      const isText = places.has(value) && (isList(value) || textKeys.has(name));
      queue.push({ value: child, isMessage: isMessage || isText });
    }
  }
  return { messages, others, isWhole, isDone };
}

/** The start of a page without its scripts and styles. */
function visible(page: string): string {
  const parts = page.slice(0, limits.page).split(/<(?=\/?(?:style|script)\b)/i);
  return parts.filter((part) => !/^s(?:tyle|cript)\b/i.test(part)).join(" ");
}

function isYes(value: unknown): boolean {
  return value === true || /^(true|yes|y|1)$/i.test(trimmedScalar(value));
}

const token = /^[\w+/=.:~-]{65,}$/;

/** Values of the request, and names of the call. */
const unread = new Set("traceid token clientreferenceid requestid correlationid operation method".split(" "));

const flags = new Set(
  (
    "success issuccess booked isbooked seatsbooked confirmed isconfirmed ticketed isticketed hold held onhold isheld " +
    "isonhold issued isissued paid ispaid exists isexisting"
  ).split(" "),
);

const textKeys = new Set(
  (
    "message messages msg error errors errormessage errormsg errordescription errordetails description detail details " +
    "reason remark remarks airlineremark status state bookingstatus pnrstatus ticketstatus statusmessage statustext"
  ).split(" "),
);
