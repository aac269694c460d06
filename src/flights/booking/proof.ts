import type { OperationResponse } from "../../operation.ts";
import { childrenOf, field, isObjectOrList, stringOf, trimmedScalar } from "../../shared/json.ts";
import { plain, wordsOf } from "../../shared/names.ts";
import { anyOf, denial } from "./denial.ts";
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
  if (!(verdict === "success" || isUnsaid) || !/^(20[01])?$/.test(statusCode ?? "")) return false;
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
  const said = Object.entries(body ?? {}).filter(
    ([name, value]) => /^(message|msg)$/i.test(name) && (isObjectOrList(value) || isSaid(value)),
  );
  return said.map(([, value]) => trimmedScalar(value));
}

function namesIt(message: string): boolean {
  return /book|reserv|confirm/i.test(message);
}

/** A sentence that calls the booking made. It has no other words: what nobody thought of may take it back. */
const confirmation =
  /^(?:(?:the|this|your|flight|air|hold|pnr|booking|reservation|is|was|has been|on) )*(?:successfully )?(?:made|booked|created|generated|completed|confirmed|done|successful|success|ok|held|hold|reserved)(?: successfully)?$/i;

/** A sentence that only names the booking. */
const naming = /^(?:your )?(?:pnr|booking (?:id|reference|number)|reference)(?: is)?[: ]*[a-z0-9]*$/i;

/** Whether a message calls the booking made first, and then speaks at most of its parts and its ticket. */
function confirms(message: string): boolean {
  const [first = "", ...rest] = message.split(/[.!](?=\s|$)|, (?=please |pnr)/i).map((sentence) => sentence.trim());
  const isBeside = (sentence: string) =>
    sentence === "" ||
    naming.test(sentence) ||
    (/^[ -~]+$/.test(sentence) && part.test(wordsOf(sentence)) && !deniesInWords(sentence));
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
      const isInner = key === "" || /(status|state|lifecycle)$/.test(outer) || isUndone(outer);
      const name = isInner ? outer : wordsOf(key.replaceAll(/\d/g, ""));
      if (isElsewhere(key) && isOfOther(child)) continue;
      if (denies(name, child)) return true;
      if (isObjectOrList(child)) queue.push([name === "refund" ? "refunded" : name, child]);
    }
  }
  return false;
}

/** Whether a record is that of another booking, or of none. */
function isOfOther(value: unknown): boolean {
  const records = Array.isArray(value) ? value : [value];
  return records.every((record) => isObjectOrList(record) && Object.keys(record).some((key) => identity.test(key)));
}

const identity = /^(pnr|booking_?id|(client_?)?reference(_?id)?|trace_?id|token)$/i;

/** Whether a value denies the booking under the name of its field, in words. */
function denies(name: string, value: unknown): boolean {
  if (isObjectOrList(value)) return false;
  if (isNo(value)) return (made.test(name) && !part.test(name)) || ofStatus.test(name);
  if (!isSaid(value)) return false;
  if (isUndone(name)) return true;
  if (ofStatus.test(name)) return isOtherStatus(name, value);
  if (ofCode.test(name)) return isOtherCode(name, trimmedScalar(value));
  const text = stringOf(value);
  return (/\s/.test(text) || ofWords.test(name)) && !ofPlace.test(name) && deniesInWords(text, name);
}

function isUndone(name: string): boolean {
  return denial.test(name) && !harmless.test(name);
}

/** Names that deny a booking with a value that is no: it is not made. */
const made =
  /success|booked|confirm|^(is |flight |pnr )?(active|valid|created|reserved|held|ok|done|live|available)$|\b(booking|pnr|reservation|hold|order) (active|valid|held|created|made|generated|exists)\b|\b(generated|complete[d]?|exists?|approved|accepted|acknowledged|processed|finali[sz]ed)$/;

/** Names of what belongs to a booking that stands: what can be cancelled, and for how much; its parts (§2.8, §3.4). */
const harmless =
  /\b(seats?|meals?|tickets?|ticketing|ticketed|baggage|ssr)\b|cancel(l?able|(l?ation)? (charges?|fees?|polic(y|ies)|rules?|penalt(y|ies)|allowed|deadline|window|costs?|amount))$|refund (polic(y|ies)|rules?|charges?|fees?|deadline|type)$|\bfees?$|\brebook/;

/** Names of a status, whose value has to be that of a booking. */
const ofStatus =
  /^(?!.*\b(seats?|meals?|baggage|ssr|ticketing|insurance)\b)(.*\b)?(status|state|stage|phase|lifecycle|outcome|confirmation|ack|ack\w+ment|result|statuses)( (code|text|message|desc|description|name|label|value|type))?$/;

const ofCode = /^((error|response|result|http|api|sub) )?code$|\berrno$/;

/** Names of what is written for a person, be it one word. */
const ofWords =
  /\b(messages?|msg|description|reasons?|remarks?|warnings?|notes?|info|comments?|details?|text|response|reply|cause)\b|^(is )?confirmed$|^(title|subject|summary|alerts?|notice|notification|err|problems?|issues?|event|events|flags?|tags?|hold)$|\b(type|mode|environment|validity|step|action( code)?)$/;

/** Names of people and places. */
const ofPlace =
  /\b(f|l|first|last|middle|full|passenger|airline|airport|city|country|carrier|company)? ?name$|^(address|city|country|airport|terminal|rules?|fare rules?)$/;

function isNo(value: unknown): boolean {
  return value === false || /^(false|no|n|0)$/i.test(trimmedScalar(value));
}

/** A value that is there, and not a placeholder. */
function isSaid(value: unknown): boolean {
  return value === true || !/^(0*|[-/ ]*|na|n\/a|none|null|nil|ok|success|200)$/i.test(trimmedScalar(value));
}

/** The words of a status that leave a booking a booking: what none of them says may be anything. */
const booked =
  /^(success\w*|ok(ay)?|confirm(ed)?|booked|booking|reserv(ed|ation)|hk|kk|rr|hs|complete[d]?|created|held|hold|on|issued|ticket(ed)?|scheduled|upcoming|paid|time|active|valid|flight|has|been|is|the|your|pnr|live|done|true|yes|200|201|na|n\/a|none|null|not applicable)?$/;

/** The code of a seat is one, too: 12A. */
function isOtherCode(name: string, code: string): boolean {
  if (name !== "code") return Number(code) !== 201;
  return Number(code.replace(/^[a-z]{1,4}[- ]?/i, "")) > 201 || deniesInWords(code);
}

/** A flight that is not confirmed is part of a booking (§2.8), unless it is called refused or has its code. */
function isOtherStatus(name: string, status: unknown): boolean {
  const text = trimmedScalar(status);
  if (/\b(flight|segment|ticket) status/.test(name))
    return /fail|cancel|reject|declin|abort/i.test(text) || /^(?!hk|kk|rr|hs|ok|hl)[a-z]{2}$/i.test(text);
  return !wordsOf(text.replaceAll(/[.,!]/g, " "))
    .split(" ")
    .every((word) => booked.test(word));
}

function deniesInWords(text: string, name = ""): boolean {
  // Another script may say anything.
  if (ofWords.test(name) && /[^\s -~\u00a0-\u00bf\u2010-\u2044\u20a0-\u20bf]/.test(text)) return true;
  const clauses = clausesOf(text);
  const isCalledBooked = clauses.some((clause) => success.test(clause) && !denial.test(clause));
  return clauses.some(
    (clause) => isDenial(clause, name) && !(later.test(clause) && (isCalledBooked || toDo.test(clause))),
  );
}

function clausesOf(text: string): readonly string[] {
  return wordsOf(text.replaceAll("’", "'")).split(/[.,;:!?\n()|]| but | however | and | - /);
}

/** A clause that denies, unless it speaks of a part or of what follows a booking. */
function isDenial(clause: string, name: string): boolean {
  const isOfPart = part.test(`${name} ${clause}`) && !theBooking.test(clause);
  return gone.test(clause) || ((denial.test(clause) || said.test(clause)) && !isOfPart);
}

/** What does so only in a sentence. */
const said = anyOf("full | us | un | being | request(ed)?");
const success = /\b(success\w*|confirmed|booked|completed|created|reserved|held|on hold)\b/;
/** Words that deny a booking whatever part of it is spoken of. */
const gone =
  /\b(refunded|refund (has|have|was|is|been|initiated|processed|done|of)|amount refund|(amount|full) refund|cancel(l?ed|lation (is |was |has been )?(successful|confirmed|processed|complete\w*|done))|auto cancellation|reject\w*|declin\w*|voided|short by|confirmation will|wait ?list\w*|not accepted|(once|until|when|after) (the )?(airline|supplier|carrier) \w+)\b/;
/** Parts of a booking, and what follows one: it may fail without it. */
const part =
  /\b(seats?|meals?|baggage|bags?|ssr|insurance|tickets?|ticketing|ticketed|refund\w*|cancellations?|charges?|fees?|penalt\w+|changes?|check ?in|e ?mail|sms|invoice|voucher|rules?|policy|visa|gst|lounge|boarding|id proof|transfer\w*|special|payment)\b/;
const theBooking = /\b(booking|reservation|pnr|itinerary|flights?)\b/;
const later = /\b(otherwise|else|unless|if|avoid)\b/;
const toDo = /\b(ticket\w*|tkt|issue|pay)\b/;
