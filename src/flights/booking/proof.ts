import type { OperationResponse } from "../../operation.ts";
import { childrenOf, elementsOf, field, isObjectOrList, stringOf, trimmedScalar, valuesOf } from "../../shared/json.ts";
import { plain, wordsOf } from "../../shared/names.ts";
import { isElsewhere, isPnr, nameIn } from "./reference.ts";

/**
 * Returns whether a response to `book` proves the booking (docs/assumptions.md, F5): a verdict of success, a PNR in the
 * documented place, and nothing around it that denies it. A booking ID without a PNR needs a message that calls it booked.
 *
 * @param known - Sentences with which the deployment confirms a booking (`knownMessages.booked`).
 */
export function provesBooking(response: OperationResponse, known: readonly string[] = []): boolean {
  const { verdict, httpStatus, statusCode, body } = response;
  const isUnsaid = verdict === "unknown" && (httpStatus === 200 || httpStatus === 201);
  if (!(verdict === "success" || isUnsaid) || !/^0*(20[01])?$/.test(statusCode ?? "")) return false;
  const result = field(field(body, "data"), "result");
  const pnr = field(result, "pnr") ?? "";
  const bookingId = nameIn(field(result, "booking_id"));
  const messages = messagesOf(body);
  const isNamed = pnr === "" ? bookingId !== "" && messages.some(namesIt) : isPnr(nameIn(pnr), bookingId);
  const isConfirmed = (message: string) =>
    confirms(message) || known.some((sentence) => plain(sentence) === plain(message));
  return isNamed && messages.every(isConfirmed) && !isDenied(body);
}

/** The messages of a response that are not empty. Only a string can confirm. */
function messagesOf(body: unknown): readonly string[] {
  const said = Object.entries(body ?? {}).filter(([name, value]) => /^(message|msg)$/i.test(name) && isSaid(value));
  return said.map(([, value]) => trimmedScalar(value));
}

function namesIt(message: string): boolean {
  return /book|reserv|confirm/i.test(message);
}

/** A sentence that calls the booking made. It has no other words: what nobody thought of may take it back. */
const confirmation =
  /^(?:(?:the|this|your|flight|air|hold|pnr|booking|reservation|is|was|has been|on) )*(?:successfully )?(?:made|booked|created|completed|confirmed|successful|success|ok|held|hold|reserved)(?: successfully)?$/i;

/** Whether a message calls the booking made first, and then speaks at most of its parts and its ticket. */
function confirms(message: string): boolean {
  const [first = "", ...rest] = message.split(/[.!](?=\s|$)/).map((sentence) => sentence.trim());
  const isBeside = (sentence: string) =>
    sentence === "" || (/^[ -~]+$/.test(sentence) && beside.test(wordsOf(sentence)));
  return confirmation.test(first) && rest.every(isBeside);
}

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
      // `remarks2`
      const name = key === "" ? outer : wordsOf(key.replaceAll(/\d/g, ""));
      if (isElsewhere(key) && isObjectOrList(child) && elementsOf(child).every(isObjectOrList)) continue;
      if (denials.some(([names, denies]) => names.test(name) && denies(child))) return true;
      if (isObjectOrList(child)) queue.push([name, child]);
    }
  }
  return false;
}

/** Names of fields, in words, and the values with which they deny a booking. */
const denials: readonly (readonly [name: RegExp, denies: (value: unknown) => boolean])[] = [
  // What can be cancelled, and for how much, is not cancelled.
  [
    /fail|reject|declin|abort|cancel(?!l?(able|ation (charge|fee|polic|rule|penalt|allow|deadline|window|cost|amount)))|^not /,
    (value) => isSaid(value) && !isNo(value),
  ],
  // A seat that is not booked, or a ticket that is not issued, denies nothing (§2.8, §3.4).
  [/^(?!.*\b(seats?|meals?|tickets?|ticketed|issued|baggage|ssr)\b).*(success|booked|confirm)/, isNo],
  [/^(is )?(active|valid|created|reserved|held|ok|completed|accepted|exists|live)$/, isNo],
  [
    /^(?!.*(seat|meal|refund \w|rebook)).*\b(un(confirmed|booked|paid|available|successful|able)|void\w*|revers\w+|releas\w+|expired|pending|wait ?list\w*|queued|deleted|denied|blocked|time ?out|timed out|roll(ed)? ?back|refunded|dry run|test|simulat\w+|mock|duplicate|conflict|incomplete|in progress|on request)$/,
    (value) => !isObjectOrList(value) && isSaid(value) && !isNo(value),
  ],
  [/\b(error|errors|fault|exception)\b/, isSaid],
  // A flight that is not confirmed is part of a booking (§2.8).
  [
    /\b(flight|segment|ticket) status$/,
    (value) => /fail|cancel|reject|declin|abort|^(hx|uc|un|no|us|xx)$/i.test(trimmedScalar(value)),
  ],
  [
    /^(?!(.* )?(flight|segment|ticket) status$).*\bstatus$|\bstatus (text|message|desc|description|name)$/,
    (value) => partsOf(value).some(isOtherStatus),
  ],
  [
    /^(error|response|result|http|api|status|http status) code$|\berrno$/,
    (value) => isSaid(value) && !/^0*201$/.test(trimmedScalar(value)),
  ],
  [/^code$/, (value) => Number(trimmedScalar(value)) > 201 || stem.test(trimmedScalar(value))],
  [/\bstate$/, (value) => partsOf(value).some((part) => isDenial(wordsOf(trimmedScalar(part))))],
  [
    /\b(messages?|msg|description|reasons?|remarks?|warnings?|notes?|info|comments?|details?)( \w+)?$|^(text|title|subject|summary|alerts?|notice|notification|err|problems?|issues?|event|outcome|stage|phase|lifecycle|action)\b/,
    deniesInWords,
  ],
];

const stem = /fail|cancel|reject|declin|abort|error/i;

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
  /^(success\w*|ok(ay)?|confirm(ed)?|booked|booking|reserv(ed|ation)|hk|kk|hl|complete[d]?|created|held|hold|on|issued|ticket(ed)?|scheduled|time|active|valid|flight|has|been|is|the|your|pnr|live|done|true|yes|200|201|na|n\/a|none|null|not applicable)?$/;

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
  return wordsOf(text.replaceAll("’", "'")).split(/[.,;:!?\n()|]| but | however | and | - /);
}

/** A clause that denies, unless it speaks of a part or of what follows a booking. */
function isDenial(clause: string): boolean {
  return denial.test(clause) && (!beside.test(clause) || theBooking.test(clause));
}

const success = /\b(success\w*|confirmed|booked|completed|created|reserved|held|on hold)\b/;
const denial =
  /\b(un(able|confirmed|success\w*|available|paid|booked)|\w+n't|not|no longer|never|nothing|none|neither|cannot|fail\w*|cancel(l?ed|s|l?ing|lation (is |was )?(confirmed|success\w*|complete\w*|done|processed))?|reject\w*|declin\w*|abort\w*|denied|refused|void(ed)?|revers\w+|released|withdrawn|withdrew|rolled back|deleted|lapsed|sold ?out|pending|process(ing)?|in progress|await\w*|queued?|wait ?list\w*|timed? ?out|error|expired|duplicate|hx|uc|un|no (booking|pnr|seats?|flights?|reservation)|attempt\w*|request(ed)?)\b/;
const beside =
  /\b(seats?|meals?|baggage|bags?|ssr|insurance|tickets?|ticketing|ticketed|refund\w*|cancellations?|charges?|fees?|penalt\w+|changes?|check ?in|e ?mail|sms|invoice|rules?|policy|visa|gst|lounge|boarding|id proof|transfer\w*|special)\b/;
const theBooking = /\b(booking|reservation|pnr|itinerary|flights?)\b/;
const later = /\b(otherwise|else|unless|if|avoid|will|shall)\b/;
