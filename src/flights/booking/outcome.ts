import type { ApiError } from "../../errors/api.ts";
import type { ErrorKind, ServiceApiError } from "../../errors/base.ts";
import { BookingOutcomeUnknownError } from "../../errors/booking.ts";
import { oneLine } from "../../errors/one-line.ts";
import { ResponseValidationError } from "../../errors/request.ts";
import type { SentCall } from "../../operation.ts";
import { childrenOf, field, isObjectOrList, stringOf, trimmedScalar } from "../../shared/json.ts";
import { oneOfSentences, wordsOf } from "../../shared/names.ts";
import type { OperationResponse } from "../../transport/envelope.ts";
import { namingRequest } from "../../transport/errors/details.ts";
import { namingUnrecognized } from "../../transport/errors/response.ts";
import { anyOf, denial, findBookingReference, isElsewhere, isPnr, nameIn } from "./reference.ts";

/**
 * Returns whether a response to `book` proves the booking (docs/assumptions.md, F5): a verdict of success, a PNR in the
 * documented place, and nothing around it that denies it. A booking ID without a PNR needs a message that calls it booked.
 *
 * @param known - Sentences with which the deployment confirms a booking (`knownMessages.booked`).
 */
export function provesBooking(response: OperationResponse, known: readonly string[] = []): boolean {
  const { verdict, httpStatus, statusCode, body } = response;
  const isUnsaid = verdict === "unknown" && (httpStatus === 200 || httpStatus === 201);
  if (!(verdict === "success" || isUnsaid) || !["", "200", "201"].includes(statusCode ?? "")) return false;
  const result = field(field(body, "data"), "result");
  const pnr = field(result, "pnr") ?? "";
  const bookingId = nameIn(field(result, "booking_id"));
  // Only a string can confirm.
  const messages = Object.entries(body ?? {}).flatMap(([name, value]) =>
    /^(message|msg)$/i.test(name) && (isObjectOrList(value) || isSaid(value)) ? [trimmedScalar(value)] : [],
  );
  const isKnown = oneOfSentences(known);
  const namesIt = (message: string) => isKnown(message) || /book|reserv|confirm/i.test(message);
  const isNamed = pnr === "" ? bookingId !== "" && messages.some(namesIt) : isPnr(nameIn(pnr), bookingId);
  // It is called made first; what follows speaks at most of its parts and its ticket.
  const confirms = (message: string) => {
    const [first = "", ...rest] = sentencesOf(message);
    return confirmation.test(first) && rest.every((sentence) => isBeside(sentence, "message"));
  };
  return (
    isNamed &&
    messages.every((message) => isKnown(message) || confirms(message)) &&
    whatDenies(body, isKnown).length === 0
  );
}

/** A sentence that calls the booking made. It has no other words: what nobody thought of may take it back. */
const confirmation =
  /^(?:thank you|(?:(?:the|this|your|flight|air|hold|pnr|booking|reservation|itinerary|is|was|has been|on) )*(?:successfully )?(?:made|booked|created|generated|completed|confirmed|done|successful|succeeded|success|ok|held|hold|reserved)(?: successfully)?(?: with pnr [a-z0-9]{5,8})?)$/i;

/** A sentence that only names a booking, a number, or how a person is addressed. */
const naming =
  /^(?:(?:demo )?booking|(?:your )?(?:pnr|booking (?:id|reference|number)|reference)(?: is)?[: ]*[a-z0-9]*|[\d.,:%/ -]+|mrs?|ms|miss|mstr|master|dr)$/i;

function sentencesOf(text: string): readonly string[] {
  return text.split(/[.!;](?=\s|$)|, (?=please |pnr|proceed )/i).map((sentence) => sentence.trim());
}

/** Whether a sentence beside the confirmation speaks at most of the parts of the booking and its ticket. */
function isBeside(sentence: string, name: string): boolean {
  if (sentence === "" || naming.test(sentence)) return true;
  return /^[ -~]+$/.test(sentence) && part.test(`${name} ${wordsOf(sentence)}`) && !deniesInWords(sentence, name);
}

/** More values than any booking has. What was not looked at may deny it. */
const maxValues = 200_000;

/** Returns the first name and value around a booking that deny it, and the value if a deployment may know the sentence. */
function whatDenies(body: unknown, isKnown: (text: string) => boolean): readonly [part?: string, sentence?: string] {
  const queue: (readonly [name: string, value: object])[] = [["", Object(body)]];
  const data = field(body, "data");
  const ours = identities.flatMap((names) => [body, data, field(data, "result")].flatMap((part) => idsIn(part, names)));
  // A loop: JSON may nest deeper than a stack.
  for (const [outer, value] of queue) {
    if (queue.length > maxValues) return ["more values than a booking has"];
    const most = mostRequested(value);
    for (const [key, child] of childrenOf(value)) {
      // `remarks2`
      const isInner = key === "" || key === "value" || /(status|state|lifecycle)$/.test(outer) || isUndone(outer);
      const name = isInner ? outer : nameOf(key);
      if (offers.test(name) || (isElsewhere(key) && isOfOther(child, ours))) continue;
      if (silent.test(`${outer}.${name}`) && !isObjectOrList(child)) continue;
      const text = stringOf(child);
      if ((denies(name, child) && !isKnown(text)) || isTooFew(name, child, most)) {
        const denial = `${key}: ${String(child).slice(0, 80)}`;
        return /\s/.test(text) && isForPeople(name, text) ? [denial, text] : [denial];
      }
      if (isObjectOrList(child)) queue.push([name === "refund" ? "refunded" : name, child]);
    }
  }
  return [];
}

function isTooFew(name: string, count: unknown, most: number): boolean {
  return countOf(count) < most && /^(?!is ).*\b(booked|confirmed)\b/.test(name);
}

function mostRequested(counts: object): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const [key, count] of childrenOf(counts))
    if (countOf(count) > most && ofTotal.test(nameOf(key))) most = countOf(count);
  return most;
}

/** Names of how many there are in all: not of how much, or of how long. */
const ofTotal =
  /^(?!.*\b(amount|fares?|price|cost|tax(es)?|charges?|fees?|duration|minutes|time)\b).*\b(requested|total)\b/;

/** A number, also as text, which is one of the spellings of the document; NaN for anything else. */
function countOf(value: unknown): number {
  return Number(trimmedScalar(value) || Number.NaN);
}

/** The words of a name, also of `PNRStatus`, `bookingstatus` and `ISVOID`. */
function nameOf(key: string): string {
  return wordsOf(key.replaceAll(/\d/g, "").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")).replace(joined, "$& ");
}

const joined =
  /^(?:is(?=[a-z]{3})|not(?=booked|confirmed|held|valid|available)|(?:booking|order|pnr|segment|flight|txn|error|err|fault|ret|resp|response|return)(?=status|state|code|msg|message|no$|num|desc|result|success))/;

/** Whether each record is that of another booking, or, if it names none, of another request. */
function isOfOther(value: unknown, ours: readonly string[]): boolean {
  const records = Array.isArray(value) ? value : [value];
  return records.every((record) => {
    const ids = identities.map((names) => idsIn(record, names)).find(({ length }) => length > 0);
    return ids !== undefined && !ids.some((id) => ours.includes(id));
  });
}

function idsIn(record: unknown, names: RegExp): string[] {
  const fields = isObjectOrList(record) ? Object.entries(record) : [];
  return fields.flatMap(([key, value]) => (names.test(key) && trimmedScalar(value) ? [trimmedScalar(value)] : []));
}

/** Names of what can be done next. */
const offers = /^(links|(allowed |available )?actions)$/;

/** Places of the documented data of machines and of people (§2.9), which do not speak of the booking. */
const silent =
  /^barcode\.(content|format|bar code in base)$|^seat\.desc$|^passengers\.([fl]name|dob|mobile|email|address|city|country|title)$/;

const identities = [/^(pnr|booking_?id)$/i, /^((client_?)?reference(_?id)?|trace_?id|token)$/i];

function denies(name: string, value: unknown): boolean {
  const isNo = value === false || /^(false|f|no|n|off|0+(\.0+)?)$/i.test(trimmedScalar(value));
  if (isNo) return (made.test(name) && !part.test(name)) || ofStatus.test(name);
  // "OK" is good news of an error, and none of a cancellation.
  if (isUndone(name) && !/\b(err\w*|fault|exception)\b/.test(name)) return !isBlank(value);
  if (!isSaid(value)) return false;
  if (isUndone(name)) return true;
  if (ofStatus.test(name)) return isOtherStatus(name, value);
  if (ofCode.test(name)) return isOtherCode(name, trimmedScalar(value));
  if (ofPlace.test(name)) return false;
  const text = stringOf(value);
  if (deniesInWords(text, name)) return true;
  return (
    isForPeople(name, text) &&
    !part.test(name) &&
    !sentencesOf(text).every((sentence) => confirmation.test(sentence) || isBeside(sentence, name))
  );
}

function isForPeople(name: string, text: string): boolean {
  return ofWords.test(name) || isSentence.test(text);
}

function isUndone(name: string): boolean {
  return denial.test(name) && !harmless.test(name);
}

/** Names that deny a booking with a value that is no: it is not made. */
const made =
  /success|booked|confirm|^(is |flight |pnr )?(active|valid|created|reserved|held|ok|done|live|available)$|\b(booking|pnr|reservation|hold|order) (active|valid|held|created|made|generated|exists)\b|\b(generated|complete[d]?|exists?|approved|accepted|acknowledged|processed|finali[sz]ed|done|placed|committed|secured|held|saved|fulfilled|captured)$|synced|verified|end transact|\b(pnr|booking|reservation|airline system)\b(?! id)/;

/** Names of what belongs to a booking that stands: what can be cancelled, and for how much; its parts (§2.8, §3.4). */
const harmless =
  /\b(seats?|meals?|tickets?|ticketing|ticketed|baggage|ssr)\b|cancel(l?able|(l?ation)? (charges?|fees?|polic(y|ies)|rules?|penalt(y|ies)|allowed|deadline|window|costs?|amount))$|refund (polic(y|ies)|rules?|charges?|fees?|deadline|type)$|\bfees?$|\b(attempts?|queue number)$|\bvoid(able|( (allowed|until|window)))|^(auto|hold|free) (?!.*ed\b).*\b(at|until|before|by|time|deadline)$|\b(cancel|release) (until|before|by)$/;

/** Names of a status, whose value has to be that of a booking. */
const ofStatus =
  /^(?!.*\b(seats?|meals?|baggage|ssr|ticketing|insurance)\b)(.*\b)?(status|state|stage|phase|lifecycle|outcome|confirmation|ack|ack\w+ment|result|statuses)( (code|text|message|desc|description|name|label|value|type))?$/;

const ofCode = /^((error|err|fault|response|resp|return|ret|result|http|api|sub) )?code$|\b(errno|err (no|num)|rc)$/;

/** Four words and more, without a number. */
const isSentence = /^[^\d\s]+(?:\s[^\d\s]+){3}/;

/** Names of what is written for a person, be it one word. */
const ofWords =
  /\b(messages?|msg|description|reasons?|remarks?|warnings?|notes?(?! no$)|info|comments?|details?|text|response|reply|cause)\b|^(is )?confirmed$|^(title|subject|summary|alerts?|notices?|notification|err|problems?|issues?|event|events|flags?|tags?|hold)$/;

const ofPlace =
  /\b(f|l|first|last|middle|full|passenger|pax|travell?er|contact|airline|airport|city|country|carrier|company) ?name$|^(name|source|(operating |marketing )?(airline|carrier)( code)?|address|city|country|airport|terminal|rules?|fare rules?)$/;

/** Whether nothing is there, or a placeholder. */
function isBlank(value: unknown): boolean {
  return value !== true && /^(0*|[-/ ]*|na|n\/a|none|null|nil)$/i.test(trimmedScalar(value));
}

function isSaid(value: unknown): boolean {
  return !isBlank(value) && !/^(ok|success|200)$/i.test(trimmedScalar(value));
}

/** The words of a status that leave a booking a booking: what none of them says may be anything. */
const booked =
  /^(success\w*|ok(ay)?|confirm(ed)?|booked|booking|reserv(ed|ation)|hk\d?|kk|rr|hs|complete[d]?|created|held|hold|on|issued|ticket(ed)?|scheduled|upcoming|paid|time|active|valid|flight|has|been|is|the|your|pnr|live|done|true|yes|200|201|na|n\/a|none|null|not applicable)?$/;

/** The codes of airlines, airports, meals and seats (12A) are codes, too. */
function isOtherCode(name: string, code: string): boolean {
  if (Number(code) === 201) return false;
  if (name !== "code" || deniesInWords(code, name)) return true;
  return !/^(?:[a-z\d]{2}|[a-z]{3,4}|\d{1,2}[a-k])$/i.test(code) && !part.test(wordsOf(code));
}

/** Words of a flight that may still be confirmed. */
const unconfirmed =
  /\b(un|not |to be )(confirmed|issued|ticketed)\b|\b(pending|wait\w*( ?list\w*)?|(on )?request\w*|queued?|in process|hl)\b/g;

/** A flight that is not confirmed is part of a booking (§2.8), unless it is called refused or has its code. */
function isOtherStatus(name: string, status: unknown): boolean {
  const text = trimmedScalar(status);
  if (/\b(flight|segment|ticket) status/.test(name))
    return (
      /^(?!(hk|kk|rr|hs|ok|hl|on)(?![a-z]))[a-z]{2}(?![a-z])/i.test(text) ||
      denial.test(wordsOf(text).replaceAll(unconfirmed, ""))
    );
  return !wordsOf(text.replaceAll(/[.,!]/g, " "))
    .split(" ")
    .every((word) => booked.test(word));
}

function deniesInWords(text: string, name: string): boolean {
  // Another script may say anything.
  if (/[^\s -~\u00a0-\u00bf\u2010-\u2044\u20a0-\u20bf]/.test(text)) return true;
  const clauses = wordsOf(text.replaceAll("’", "'")).split(/[.,;:!?\n()|]| but | however | and | - /);
  const isCalledBooked = clauses.some((clause) => success.test(clause) && !denial.test(clause));
  return clauses.some((clause) => {
    // What is said of a part, or of what follows a booking unless something is done, leaves it a booking.
    const isOfPart = part.test(`${name} ${clause.trim()}`) && !theBooking.test(clause);
    const isDenial = gone.test(clause) || ((denial.test(clause) || said.test(clause)) && !isOfPart);
    return isDenial && !(later.test(clause) && (isCalledBooked || toDo.test(clause)));
  });
}

/** Words that do so only in a sentence. */
const said = anyOf("full | us | un | being | request(ed)?");
const success = /\b(success\w*|confirmed|booked|completed|created|reserved|held|on hold)\b/;
/** Words that deny a booking whatever part of it is spoken of. */
const gone =
  /\b(refunded|refund (has|have|was|is|been|initiated|processed|done|of)|amount refund|(amount|full) refund|cancel(l?ed|lation (is |was |has been )?(successful|confirmed|processed|complete\w*|done))|auto cancellation|reject\w*|declin\w*|voided|short by|confirmation will|wait ?list\w*|not (accepted|approved)|(once|until|when|after) (the )?(airline|supplier|carrier) \w+)\b/;
/** Parts of a booking, and what follows one: it may fail without it. An airline remarks on the fare and the airport, too. */
const part =
  /\b(seats?|meals?|baggage|bags?|ssr|insurance|tkts?|photo id|documents?|passport|tickets?|ticketing|ticketed|refund\w*|cancellations?|charges?|fees?|penalt\w+|changes?|check ?in|e ?mail|sms|invoice|voucher|rules?|policy|visa|gst|lounge|boarding|id proof|transfer\w*|special|payment|flight class)\b|^airline remark (subject to availability|hold fare|(the |this )?fares? (is |are )?not (valid|applicable|permitted|combinable) (for|on|with) (an? |any |this |other )?(infant|child|adult|senior|student|minor|route|sector|fare|offer)s?|terminal (has )?changed?( from (terminal )?\w{1,2})? to (terminal )?\w{1,2})$/;
const theBooking = /\b(booking|reservation|pnr|itinerary|flights?)\b/;
const later = /\b(otherwise|else|unless|if|avoid)\b/;
const toDo = /\b(ticket\w*|tkt|issue|pay)\b/;

const whatHappened: Partial<Record<ErrorKind, string>> = {
  connection: "the connection broke before the response was whole",
  timeout: "no response came in time",
  abort: "the call was aborted on this side before its response came",
  unexpected_response: "the response names no booking or could not be read",
  response_validation: "the response names no booking",
  in_progress: "the service was still working on it or had done a part of it",
  unavailable: "the service failed while it worked on it",
};

const ofOther = "the response belongs to another request: if it names a booking, that may be somebody else's";
const namesOne = "the response names a booking (`pnr`, `bookingId`)";

/**
 * The error for a booking that may or may not exist, written for the person at a help desk who has to find out: what
 * was sent, when, what to look it up by, and what not to do. A duplicate says that much itself, and stays what it is.
 */
export function bookingOutcomeUnknown(
  error: ServiceApiError,
  call: SentCall,
  known: readonly string[] = [],
): ServiceApiError {
  const { operation, attempts, requestId, body, httpStatus, unrecognized } = error as ServiceApiError &
    Partial<ApiError>;
  const named = findBookingReference(body);
  // As they were sent; an `extraBody` may have put an object in their place.
  const [traceId = "", token = "", sentReference] = ["trace_id", "token", "client_referenceId"].map((name) => {
    const value = call.body[name];
    return typeof value === "object" || value === undefined ? "" : String(value);
  });
  const clientReferenceId = sentReference || error.clientReferenceId;
  const names = [clientReferenceId && `client_referenceId ${clientReferenceId}`, traceId && `trace_id ${traceId}`];
  const lookUp = names.filter(Boolean).join(" or ");
  const advice =
    `Do not book again. ${lookUp ? `Look it up by ${lookUp}, or ask the service operator to.` : "Ask the service operator to look it up."} ` +
    "If a checkout sent it, then close its row: reconcile it with the `pnr` or `bookingId` that was found, or with " +
    '"notBooked" if the operator says that there is no booking.';
  if (error.kind === "duplicate" && named === undefined) {
    error.message += ` ${advice}`;
    return error;
  }
  const isOther = ResponseValidationError.isInstance(error) && error.reason === "otherRequest";
  const [problem = ""] = error.message.replace(`${operation}: `, "").split(". ", 1);
  const failedHere = `this application failed, and not the service: ${problem.replace(/^`fetch`/, "its own `fetch`")}`;
  const unnamed =
    (error.kind === "configuration" ? failedHere : whatHappened[error.kind]) ??
    `the response does not say whether it was made${httpStatus === undefined ? "" : ` (HTTP ${httpStatus})`}`;
  const [denial, sentence] = named === undefined ? [] : whatDenies(body, oneOfSentences(known));
  const denied = `${namesOne} but ${denial === undefined ? "does not call it a success" : `"${oneLine(denial)}" speaks against it`}`;
  const ofThis = named === undefined ? unnamed : denied;
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was sent at ${new Date(call.sentAt).toISOString()}, and ${isOther ? ofOther : ofThis}. ${advice}` +
      (named === undefined ? namingUnrecognized(unrecognized) : "") +
      (sentence === undefined
        ? ""
        : ` If the operator confirms that "${oneLine(sentence.slice(0, 200))}" does not take it back, add that sentence to \`knownMessages.booked\`.`) +
      namingRequest(requestId),
    ...{ operation, clientReferenceId, attempts, requestId, httpStatus, traceId, token, body },
    cause: error,
    unrecognized: named === undefined ? unrecognized : (sentence ?? denial),
    sentAt: call.sentAt,
    pnr: named?.pnr || undefined,
    pnrs: named?.pnrs,
    bookingId: named?.bookingId || undefined,
  });
}
