import type { OperationResponse } from "../../operation.ts";
import { field, isList, isObject, isObjectOrList, valuesOf } from "../../shared/json.ts";
import { classifiable, offerGone } from "../../transport/classify.ts";
import { plain } from "./reference.ts";

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
  const { texts, isWhole } = textsOf(response);
  const text = texts.map(classifiable).join("\n");
  // "Flight unavailable" and "fully booked" are plain noes, and their words say nothing else.
  const rest = text.replaceAll(plainNo, " ");
  const isBroken = broken.test(rest);
  return {
    // What was not read may say so.
    isUnderWay: !isWhole || underWay.test(rest),
    isBroken,
    namesFault: !isBroken && !askedAgain.test(rest) && constraint.test(rest) && namedField.test(rest),
    isSilent: isSilent(response),
  };
}

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

const namedField =
  /\b(gst(in)?|passports?|pan|dob|birth|ages?|(first|last|sur|f|l)?[_ ]?names?|title|gender|e-?mail|mobile|phone|address|city|country|nationality|pin ?code|passengers?|pax|travell?ers?|adults?|child(ren)?|infants?|seats?|baggage|meals?|ssr|documents?|visa|dates?|fields?|param(eter)?s?|input|request|payload|body|consent|client_?referenceid|fare)\b/i;

/** Texts beyond this number are not read, and neither are values beyond the other. */
const limits = { texts: 50, values: 10_000 };

/**
 * Returns the texts of a response, and whether these are all of them in full. A service or a gateway may say the one
 * thing in `message` and the other beside it, or in an object or a list there, or all of it in a list.
 */
function textsOf({ serviceMessage, body }: OperationResponse): { readonly texts: string[]; readonly isWhole: boolean } {
  const texts = new Set(serviceMessage === undefined ? [] : [serviceMessage]);
  // The start of a web page says enough.
  if (!isObjectOrList(body)) return { texts: [...texts], isWhole: true };
  const data = field(body, "data");
  const values = [body, data, field(data, "result")].flatMap((place) => {
    if (isList(place)) return [place];
    return Object.entries(isObject(place) ? place : {}).flatMap(([key, value]) =>
      textKeys.has(plain(key)) ? [value] : [],
    );
  });
  // A loop: JSON may nest deeper than a stack.
  for (let i = 0; i < values.length && texts.size <= limits.texts; i++) {
    const value = values[i];
    if (typeof value === "string") texts.add(value);
    if (!isObjectOrList(value)) continue;
    for (const child of valuesOf(value)) {
      if (values.length >= limits.values) return { texts: [...texts], isWhole: false };
      values.push(child);
    }
  }
  const isWhole = texts.size <= limits.texts && [...texts].every((text) => classifiable(text) === text);
  return { texts: [...texts], isWhole };
}

const textKeys = new Set(
  (
    "message messages msg error errors errormessage errormsg errordescription errordetails description detail details " +
    "reason remark remarks airlineremark status state bookingstatus pnrstatus ticketstatus statusmessage statustext"
  ).split(" "),
);

/** Returns true if the body has only a status and a code. */
function isSilent({ body }: OperationResponse): boolean {
  const isEmpty = (value: unknown) => value === null || value === "";
  if (typeof body === "string") return body.trim() === "";
  if (isList(body)) return body.every(isEmpty);
  return Object.entries(Object(body)).every(
    ([key, value]) => isEmpty(value) || (/^status(_?code)?$/i.test(key) && !isObjectOrList(value)),
  );
}
