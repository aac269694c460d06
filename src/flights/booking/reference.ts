import { childrenOf, field, isObjectOrList, trimmedScalar } from "../../shared/json.ts";
import { bareName, isOtherRecord, wordsOf } from "../../shared/names.ts";

/** The names under which a booking can be found. */
export interface BookingReference {
  /** The airline's confirmation number; empty if the response has none. */
  readonly pnr: string;
  /** The PNRs in the response, without repetition: several if it is booked in parts. */
  readonly pnrs: readonly string[];
  /** The service's own number; empty if the response has none. */
  readonly bookingId: string;
  /** The part of the response that names it: `data.result` of §2.8 if all is as documented. */
  readonly booking: object;
}

/**
 * Finds a PNR or a booking ID in any response to `book`, of any status and shape: first in the place of §2.8 and beside
 * it, then anywhere in the body, in any spelling (`PNR`, `bookingId`). A reservation that exists must not be lost because
 * the response around it is odd.
 *
 * @param body - The parsed body.
 * @returns The reference, or undefined if the response names no booking. Placeholders such as "NA", "pending", zeros
 *   and negative numbers, sentences such as "PNR not generated", and the values of an echoed request or of another
 *   booking do not count.
 */
export function findBookingReference(body: unknown): BookingReference | undefined {
  let first: Omit<BookingReference, "pnrs"> | undefined;
  const pnrs = new Map<string, string>();
  for (const booking of places(body)) {
    let [pnr, bookingId] = ["", ""];
    for (const [key, value] of childrenOf(booking)) {
      const name = bareName(key);
      if (name === "pnr") pnr ||= nameIn(value);
      if (name === "bookingid") bookingId ||= nameIn(value);
    }
    if (pnr === "" && bookingId === "") continue;
    first ??= { pnr, bookingId, booking };
    for (const one of pnr.split(separators)) {
      if (one !== "" && !pnrs.has(one.toUpperCase())) pnrs.set(one.toUpperCase(), one);
    }
  }
  return first && { ...first, pnrs: [...pnrs.values()] };
}

/** From the documented place outwards, then level by level. A loop: JSON may nest deeper than a stack. */
function* places(body: unknown): Generator<object> {
  const data = field(body, "data");
  const queue = [field(data, "result"), data, field(body, "result"), body];
  const seen = new Set<unknown>();
  for (const place of queue) {
    if (!isObjectOrList(place) || seen.has(place)) continue;
    if (seen.size >= maxPlaces) return;
    seen.add(place);
    yield place;
    for (const [key, child] of childrenOf(place)) {
      // The rest would not be looked at.
      if (queue.length >= 2 * maxPlaces) break;
      if (isObjectOrList(child) && !isElsewhere(key)) queue.push(child);
    }
  }
}

/** More objects than any booking has. Those beyond it are not searched. */
const maxPlaces = 20_000;

/** Names of a copy of the request in its response. */
const echoOfRequest =
  /^(((original|previous|duplicate|existing|earlier|old) )?(req|request( (body|data|params|payload|details))?)|params|input|query|echo)$/;

/** Whether the value of a name is not part of the booking: an echo of the request, or another booking. */
export function isElsewhere(key: string): boolean {
  return echoOfRequest.test(wordsOf(key)) || isOtherRecord(key);
}

/** Placeholders of a name: zeros, dashes, one letter over and over, words of a state. */
function isNoName(text: string): boolean {
  const words = text.toLowerCase().replaceAll(/[\s_-]+/g, " ");
  return /^[-+–—_.?*#0\s]*$|^([a-z])\1{2,}$/i.test(text) || noName.test(words) || denial.test(words);
}

const noName = /^(n ?[/.]? ?a\.?|nil|null|undefined|nan|false|true|no|yes|tb[dac]|empty|blank|on ?hold|progress)$/;

/**
 * A string or number that names something, else an empty string. A PNR has five to eight letters and digits, and
 * several come with a separator; a booking ID may be longer. More than six letters without a digit are a word.
 */
export function nameIn(value: unknown): string {
  const text = trimmedScalar(value).replaceAll(/ ?([,;/|&+]) ?/g, "$1");
  if (text.length > 80 || isNoName(text) || !/^[a-z0-9][a-z0-9,;/|&+._:#~-]*$/i.test(text)) return "";
  const parts = text.split(/[^a-z0-9]/i);
  const isWord = (part: string) =>
    /^[a-z]{7,}$/i.test(part) || /^(not|yet|to|be)$/i.test(part) || (part.length > 2 && isNoName(part));
  return parts.some(isWord) ? "" : text;
}

const separators = /[,;/|&+]/;

/**
 * Whether a name has the form of a PNR, or of several: five to eight letters and digits, and no word of a status. Any
 * other form, and six letters, which may be a word, count beside a booking ID.
 */
export function isPnr(name: string, bookingId: string): boolean {
  const parts = name.split(separators);
  const form =
    bookingId === "" ? /^(?=.*\d)(?=.*[a-z])[a-z\d]{5,8}$/i : parts.length === 1 ? /^/ : /^(?:[a-z\d]{2}|.{5,})$/i;
  return parts.every((part) => form.test(part) && !isNoName(part.replace(/(?<=[a-z])\d+$/i, "")) && !noPnr.test(part));
}

/** Values in place of a PNR: words of a status, codes of an error, dates. */
const noPnr =
  /^(?:(?:e|err|http|down|req|verify|code|undef)\d+|(?:later|request|submit|inited|norec|regret|callus|notyet|inqueue|block|confirm|status|ticket|avail|success|process|test)[a-z]*\d*|(?:hold|held|book|void|sold|queue|issue|expire|pend|refund)(?:ing|e?d|out)?\d*|(?:on)?req|\d\d[a-z]{3}\d\d|\d{4}[-/.]\d.*|\d\d?[-/.]\d.*)$/i;

/**
 * Words that take a booking back, as the name of a field, in a sentence and in place of a PNR. A list of what is forbidden
 * ends somewhere: a word that is missing here makes a booking of what is none, one too many costs a telephone call.
 */
export const denial = anyOf(String.raw`
  \w*(fail|reject|declin|abort|cancel)\w* | un(able|available|booked|confirmed|known|paid|success\w*) | not |
  no longer | never | nothing | none | neither | cannot | \w+n't | denied | refused | void\w* | revers\w+ |
  releas\w+ | withdrawn | withdrew | taken back | roll(ed)? ?back | delet\w+ | remov\w+ | purged | dropped |
  lapsed | expired | suspended | inactive | deactivated | dead | blocked | closed | sold ?out |
  no ?(show|booking|pnr|seats?|flights?|reservation) | no (availability|response) | errors? | errno | fault |
  exception | invalid | missing | conflict | duplicate | skipped | excluded | refunded |
  refund (initiated|processed|id|amount|status|reference|date) | time ?out | timed? ?out | pending |
  (in )?process(ing)? | in progress | await\w* | wait(ing|ed)? | wait ?list\w* | wl | queued? | retry | attempt\w* |
  initiated | incomplete | partial\w* | provisional | tentative | subject to | yet to | under \w+ | on ?request |
  request only | manual | review | verification | confirmation required |
  (needs|requires) (\w+ ){0,3}(confirm|approv|action|review|payment)\w* | dry run | offline | rebook\w* | passive | dummy |
  draft | ghost | sample | te?mp(orary)? | placeholder | cxle?d? | xld | canc?led | terminated | annulled |
  overbooked | bumped | lost | flagged | preview | validate only | manually \w+ | test | simulat\w+ | sandbox |
  mock | shortly | soon | hx | uc | uu | hl | hn | ll | nn | pn | xx | \d+ of \d+ |
  will (be )?(confirm|notif|inform|updat|email|get back)\w* |
  only (one|two|three|\d+|onward|outbound|return|first)\b.*`);

/** Any of the words in a list, which are separated by bars. */
export function anyOf(list: string): RegExp {
  const words = list.split("|").map((word) => word.trim());
  return new RegExp(`\\b(?:${words.join("|")})\\b`);
}
