import type { OperationResponse } from "../../operation.ts";
import { childrenOf, field, isObjectOrList, stringOf, trimmedScalar, valuesOf } from "../../shared/json.ts";
import { plain, wordsOf } from "../../transport/refusals/clauses.ts";
import { isElsewhere, isPnr, nameIn } from "./reference.ts";

/**
 * Returns whether a response to `book` proves the booking (docs/assumptions.md, F5): a verdict of success, a PNR in the
 * documented place, and nothing around it that denies it. A booking ID without a PNR needs a message that calls it booked.
 *
 * @param known - Sentences with which the deployment confirms a booking (`knownMessages.booked`).
 */
export function provesBooking(response: OperationResponse, known: readonly string[] = []): boolean {
  const { verdict, httpStatus, statusCode, body } = response;
  const isUnsaid = verdict === "unknown" && httpStatus >= 200 && httpStatus < 300;
  if (!(verdict === "success" || isUnsaid) || !/^0*(20[01])?$/.test(statusCode ?? "")) return false;
  const result = field(field(body, "data"), "result");
  const pnr = field(result, "pnr") ?? "";
  const bookingId = nameIn(field(result, "booking_id"));
  const message = trimmedScalar(field(body, "message"));
  const isKnown = known.some((sentence) => plain(sentence) === plain(message));
  const isNamed = pnr === "" ? bookingId !== "" && (isKnown || bookedNow.test(message)) : isPnr(nameIn(pnr), bookingId);
  return isNamed && (message === "" || isKnown || affirms.test(message)) && !isDenied(body);
}

/** Words of a message that calls a booking one. A message with none of them may say anything, in any language. */
const affirms = /success|confirm|book|complet|creat|reserv|ticket|pnr|held|hold|\bok|done|processed|thank/i;

/** A message that says that it is booked, and not only that it will be. */
const bookedNow =
  /^(?:(?:the|this|your|flight|air) )*(?:booking|reservation|flight)? ?(?:(?:is|was|has been|has) )*(?:successfully )?(?:made|booked|created|completed|confirmed|successful)(?: successfully)?(?:[.!,]|$)/i;

/** More values than any booking has. What was not looked at may deny it. */
const maxValues = 200_000;

/** Whether anything around the booking denies it. */
function isDenied(body: unknown): boolean {
  const queue: (readonly [name: string, value: unknown])[] = [["", body]];
  // A loop: JSON may nest deeper than a stack.
  for (const [outer, value] of queue) {
    if (queue.length > maxValues) return true;
    if (!isObjectOrList(value)) continue;
    for (const [key, child] of childrenOf(value)) {
      const name = key === "" ? outer : wordsOf(key);
      if (isElsewhere(key)) continue;
      if (denials.some(([names, denies]) => names.test(name) && denies(child))) return true;
      if (isObjectOrList(child)) queue.push([name, child]);
    }
  }
  return false;
}

/** Names of fields, in words, and the values with which they deny a booking. */
const denials: readonly (readonly [name: RegExp, denies: (value: unknown) => boolean])[] = [
  // What can be cancelled, and for how much, is not cancelled.
  [/fail|reject|declin|abort|cancel(?!l?(able|ation \w))|^not /, (value) => isSaid(value) && !isNo(value)],
  // A seat that is not booked, or a ticket that is not issued, denies nothing (§2.8, §3.4).
  [/^(?!.*\b(seats?|meals?|tickets?|ticketed|issued|baggage|ssr)\b).*(success|booked|confirm)/, isNo],
  [/\b(error|errors|fault|exception)\b/, isSaid],
  [
    /\b(flight|segment|ticket) status$/,
    (value) => /fail|cancel|reject|declin|abort|^(hx|uc|un|no|us|xx)$/i.test(trimmedScalar(value)),
  ],
  [
    /^(?!(.* )?(flight|segment|ticket) status$).*\bstatus$|\bstatus (text|message|desc|description|name)$/,
    (value) => partsOf(value).some(isOtherStatus),
  ],
  [/^status code$/, (value) => Number(trimmedScalar(value)) > 201],
  [/\bstate$/, (value) => partsOf(value).some((part) => isDenial(wordsOf(trimmedScalar(part))))],
  [/\b(messages?|msg|description|reasons?|remarks?|warnings?|notes?|info|comments?|details?)$/, deniesInWords],
];

function partsOf(value: unknown): readonly unknown[] {
  return isObjectOrList(value) ? valuesOf(value) : [value];
}

function isNo(value: unknown): boolean {
  return value === false || /^(false|no|n|0)$/i.test(trimmedScalar(value));
}

/** A value that is there, and not a placeholder. */
function isSaid(value: unknown): boolean {
  if (isObjectOrList(value)) return valuesOf(value).some(isSaid);
  return value === true || !/^(0*|[-/ ]*|na|n\/a|none|null|nil|ok|success|200)$/i.test(trimmedScalar(value));
}

/** The words of a status that leave a booking a booking: what none of them says may be anything. */
const booked =
  /^(success\w*|ok(ay)?|confirm(ed)?|booked|booking|reserv(ed|ation)|hk|kk|complete[d]?|created|held|hold|on|issued|ticket(ed)?|scheduled|time|active|valid|flight|has|been|is|the|your|pnr|live|done|true|yes|200|201|na|n\/a|none|null|not applicable)?$/;

function isOtherStatus(status: unknown): boolean {
  if (isObjectOrList(status)) return false;
  if (status === false) return true;
  return !wordsOf(trimmedScalar(status).replaceAll(/[.,!]/g, " "))
    .split(" ")
    .every((word) => booked.test(word));
}

function deniesInWords(value: unknown): boolean {
  return partsOf(value).some((part) => {
    const clauses = clausesOf(stringOf(part));
    const isCalledBooked = clauses.some((clause) => success.test(clause) && !denial.test(clause));
    return clauses.some((clause) => isDenial(clause) && !(isCalledBooked && later.test(clause)));
  });
}

function clausesOf(text: string): readonly string[] {
  return wordsOf(text.slice(0, 2_000)).split(/[.,;:!?\n()|]| but | however | and | - /);
}

/** A clause that denies, unless it speaks of a part or of what follows a booking. */
function isDenial(clause: string): boolean {
  return denial.test(clause) && (!beside.test(clause) || theBooking.test(clause));
}

const success = /\b(success\w*|confirmed|booked|completed|created|reserved|held|on hold)\b/;
const denial =
  /\b(un(able|confirmed|successful|available|paid)|not|no longer|never|can't|cannot|couldn't|fail\w*|cancel(l?ed|s|l?ing)?|reject\w*|declin\w*|abort\w*|denied|refused|void(ed)?|revers\w+|released|sold ?out|pending|process(ing)?|in progress|await\w*|queued?|wait ?list\w*|timed? ?out|error|expired|duplicate|hx|uc|un|no (booking|pnr|seats?)|attempt\w*|request(ed)?)\b/;
const beside =
  /\b(seats?|meals?|baggage|bags?|ssr|insurance|tickets?|ticketing|ticketed|refund\w*|cancellations?|charges?|fees?|penalt\w+|changes?|check ?in|e ?mail|sms|invoice|rules?|policy|visa|gst|lounge|boarding|id proof|transfer\w*|special)\b/;
const theBooking = /\b(booking|reservation|pnr|itinerary|flights?)\b/;
const later = /\b(otherwise|else|unless|if|avoid|before|until)\b/;
