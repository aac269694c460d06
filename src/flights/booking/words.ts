import type { OperationResponse } from "../../operation.ts";
import { classifiable, offerGone } from "../../transport/classify.ts";

/**
 * Conclusions from the words of a refused booking. Both lists are generous: a word too many costs a telephone call, a
 * word too few a second ticket. Every pattern takes linear time.
 */
export interface BookingWords {
  /** Something was done, or is being done. */
  readonly isUnderWay: boolean;
  /** Something broke, so it is not known what was done before. */
  readonly isBroken: boolean;
  /** It names what is wrong with the request: a field, and the rule that it breaks. */
  readonly namesFault: boolean;
  /** It says nothing: no body, or a status and a code alone. */
  readonly isSilent: boolean;
}

/** Reads the words of a response to `book`. */
export function readWords(response: OperationResponse): BookingWords {
  const texts = textsOf(response);
  const text = texts.slice(0, maxTexts).map(classifiable).join("\n");
  // "Flight unavailable" and "fully booked" are plain noes, and their words say nothing else.
  const rest = text.replaceAll(plainNo, " ");
  // What was not read proves nothing.
  const isBroken = texts.length > maxTexts || broken.test(rest);
  return {
    isUnderWay: underWay.test(rest),
    isBroken,
    namesFault: !isBroken && !askedAgain.test(rest) && constraint.test(rest) && field.test(rest),
    isSilent: isSilent(response),
  };
}

/** More than any refusal says. */
const maxTexts = 50;

const plainNo = new RegExp(offerGone, "gi");

const underWay = new RegExp(
  [
    "process|pending|progress|await|queue|wait-?list|please wait|on[ -]?hold|\\bheld\\b|partial|initiated|submitted",
    "\\b(booked|reserved|completed|accepted|charged|debited|deducted|successful(ly)?|created)\\b",
    "\\bconfirm(ed|ing|ation|s)\\b|\\b(to|not|cannot|can't) (be )?confirm",
    "\\bbooking[ _-]?(id|ref|no\\b|number)|\\bbooking (request )?(is|was|has|may|might|could|will|made|placed|received|not found)\\b",
    "\\bpnrs?\\b|\\bstatus\\b|\\bticket(s|ed|ing)?\\b|\\bissu(ed|ance)\\b|\\breservation (is|was|has|made)\\b",
    "\\brequest (was |has been |is )?(received|accepted)\\b|\\balready\\b",
  ].join("|"),
  "i",
);

const broken = new RegExp(
  [
    "time[ds]?[ -]?out|\\binternal\\b|system|server|unavailable|service (is )?not|\\bdown\\b|\\bbusy\\b|crash|abort|interrupt",
    "supplier|vendor|provider|\\bgds\\b|amadeus|sabre|galileo|navitaire|travelport",
    "respon[ds]|network|gateway|\\bhost\\b|connection|connectivity|\\bconnect\\b|socket|\\breset\\b|unreachable|\\blost\\b",
    "technical|exception|unexpected|unknown|something|\\bfault\\b|went wrong|not known|database|\\bstack\\b",
    "\\b(while|during)\\b|error (has )?occurr|\\b(airline|carrier)('s)? (end|side|error|session)\\b",
  ].join("|"),
  "i",
);

/** A request that is to be sent again, or looked at by a person, was not wrong. */
const askedAgain =
  /\btry(ing)? (it )?(again|later)|re-?try|\bsome ?time\b|\blater\b|manual|intervention|contact (us|support|the|our|customer|airline|help)|\b(at|by|from|with) (the )?(airline|carrier)\b/i;

const constraint = new RegExp(
  [
    "\\b(invalid|not valid|required|mandatory|missing|format|malformed|incorrect|mismatch|empty|blank|unprocessable|bad request)\\b",
    "\\b(must|should|can ?not|can't) (not )?(be|have|contain|match|start|end|travel|include|exceed)\\b|\\bexpire[ds]?\\b|\\bexceed",
    "\\bnot (allowed|permitted|accepted|supported)\\b|\\b(do|does)( not|n't) match\\b|\\btoo (long|short|many|few)\\b",
    "\\b(maximum|minimum|at least|at most|more than|less than)\\b",
  ].join("|"),
  "i",
);

const field =
  /\b(gst(in)?|passports?|pan|dob|birth|ages?|(first|last|sur|f|l)?[_ ]?names?|title|gender|e-?mail|mobile|phone|address|city|country|nationality|pin ?code|passengers?|pax|travell?ers?|adults?|child(ren)?|infants?|seats?|baggage|meals?|ssr|documents?|visa|dates?|fields?|param(eter)?s?|input|request|payload|body|consent|client_?referenceid|fare)\b/i;

/** A service or a gateway may say the one thing in `message` and the other beside it. */
function textsOf({ serviceMessage, body }: OperationResponse): readonly string[] {
  const root = Object(body);
  const places: unknown[] = [root, root.error, root.data, Object(root.data).result, root.errors].flat();
  const found = places.flatMap((place) => textKeys.flatMap((key) => Object(place)[key]));
  const texts = [serviceMessage, ...places, ...found].filter((text) => typeof text === "string");
  return [...new Set(texts)];
}

const textKeys = [
  "message",
  "msg",
  "error",
  "error_message",
  "errorMessage",
  "description",
  "detail",
  "details",
  "reason",
  "remark",
  "remarks",
  "airline_remark",
];

/** Returns true if the body has only a status and a code. */
function isSilent({ body }: OperationResponse): boolean {
  if (typeof body === "string") return body.trim() === "";
  return Object.entries(Object(body)).every(
    ([key, value]) => /^status(_?code)?$/i.test(key) || value === null || value === "",
  );
}
