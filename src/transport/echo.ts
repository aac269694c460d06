import type { ValidationIssue } from "../errors/base.ts";
import type { EchoRule } from "../operation.ts";
import { elementsOf, field, isObject, isObjectOrList, trimmedScalar, valuesOf } from "../shared/json.ts";
import { bareName, isOtherRecord, isPlaceholder, lettersOf } from "../shared/names.ts";
import type { PreparedCall } from "./request.ts";

/** The fields of a response that repeat another request than the one it came for. */
export interface Echoes {
  /** They prove that the response belongs to another request. */
  readonly refused: readonly ValidationIssue[];
  /** They are `required` of what is returned, and are missing or unclear. A refusal may leave them out, or be about them. */
  readonly missing: readonly ValidationIssue[];
  /** They are worth a warning. */
  readonly warned: readonly ValidationIssue[];
}

/** Compares a response with its request by the rules of its operation; at most one issue for each rule. */
export function readEchoes(
  { operation, body: sent, options }: Pick<PreparedCall, "operation" | "body" | "options">,
  body: unknown,
): Echoes {
  // A call that is sent once may have been carried out for somebody else: no option hides that.
  const rules = options.validation?.response === "off" && operation.retry !== "never" ? [] : operation.echo;
  const found: Record<keyof Echoes, ValidationIssue[]> = { refused: [], missing: [], warned: [] };
  for (const rule of rules) compare(rule, sent, body, found);
  return found;
}

function compare(rule: EchoRule, sent: unknown, body: unknown, found: Record<keyof Echoes, ValidationIssue[]>): void {
  const { response, request, onMismatch, code = "other_request", required = false } = rule;
  // Most rules compare one string with an equal one.
  const single = response.split(".").reduce(field, body);
  if (typeof single === "string" && single === request.split(".").reduce(field, sent)) return;
  const essence = essences[rule.compare ?? "exact"];
  const expected = new Set<string>();
  let isAmount = false;
  for (const { value } of placesAt(sent, request)) {
    expected.add(essence(textOf(value)));
    isAmount ||= typeof value === "number";
  }
  expected.delete("");
  if (expected.size === 0 && (!required || request.includes("[]"))) return;
  // What comes where nothing was sent may be the service's own.
  const isHarmless = onMismatch === "warning" || expected.size === 0;
  const isSpaced = [...expected].some((value) => value.includes(" "));
  const missing = new Set(expected);
  let other: Place | undefined;
  let unclear: Place | undefined;
  for (const place of placesAt(body, response)) {
    const text = textOf(place.value);
    // A sentence, an object and several values may be a message about the field; beside a success they are none.
    const isClear = text !== "" && (isSpaced || !response.includes("**") || !/\s/.test(text));
    for (const one of text === "" ? textsOf(place.value) : [text]) {
      const essential = essence(one);
      missing.delete(essential);
      // "N/A" says nothing. 0 is no amount, and at most a placeholder of a name.
      const isNothing = essential === "" || (isPlaceholder(one) && !(isAmount && Number(one) === 0));
      if (isNothing || expected.has(essential)) continue;
      if (isClear) other ??= place;
      else if (!isHarmless) unclear ??= place;
    }
  }
  const odd = other ?? unclear;
  if (odd === undefined && (!required || missing.size === 0)) return;
  const path = odd ? pathOf(odd) : response.split(".");
  const kind = isHarmless ? "warned" : other ? "refused" : "missing";
  found[kind].push({ path, message: `${odd ? "is not" : "does not repeat"} the ${request} that was sent`, code });
}

/** The part of a value that is compared; an empty string says nothing. */
const essences: Record<NonNullable<EchoRule["compare"]>, (text: string) => string> = {
  exact: (text) => text,
  // A mask may hide another number, and so may digits of another script. More digits are more than one number.
  mobile(text) {
    const digits = text.replaceAll(/\D/g, "");
    if (/[x*]|(?!\d)\p{Nd}/iu.test(text) || digits.length > 14) return text;
    return digits.length < 4 ? "" : digits.slice(-10);
  },
  name: lettersOf,
};

/** A value of a body, with the way to it. */
interface Place {
  readonly key?: string | number;
  readonly parent?: Place;
  readonly value: unknown;
}

function pathOf(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Returns the places at a path of an {@link EchoRule}. */
export function placesAt(root: unknown, path: string): readonly Place[] {
  let places: readonly Place[] = [{ value: root }];
  for (const step of path.replaceAll("[]", ".[]").split(".")) {
    if (step === "**") return placesOf(places, bareName(path.slice(path.indexOf("**.") + 3)));
    const next: Place[] = [];
    for (const parent of places) {
      if (step === "[]") {
        for (const [key, value] of elementsOf(parent.value).entries()) next.push({ key, parent, value });
      } else if (isObject(parent.value)) next.push({ key: step, parent, value: field(parent.value, step) });
    }
    places = next;
  }
  return places;
}

/** More objects and lists than are looked through: a response may be of any size. */
const maxPlaces = 200_000;

/** Names of messages about fields. */
const messages = /^(errors?|violations|issues)$/i;

/** Returns the places of a name at any depth, in any spelling of it: `client_reference_id`. */
function placesOf(roots: readonly Place[], name: string): readonly Place[] {
  const found: Place[] = [];
  const queue = [...roots];
  for (const parent of queue) {
    if (!isObjectOrList(parent.value)) continue;
    for (const key of Array.isArray(parent.value) ? parent.value.keys() : Object.keys(parent.value)) {
      const own = String(key);
      const value = field(parent.value, own);
      const place = { key, parent, value };
      if (bareName(own) === name) found.push(place);
      else if (!isObjectOrList(value) || messages.test(own) || isOtherRecord(own)) continue;
      else if (queue.length < maxPlaces) queue.push(place);
    }
  }
  return found;
}

/** The value as a string: an empty one for null, an object or a list of several. */
function textOf(value: unknown): string {
  let only = value;
  while (Array.isArray(only) && only.length === 1) [only] = only;
  return typeof only === "boolean" ? String(only) : trimmedScalar(only);
}

/** The strings in a value, at any depth. */
function textsOf(value: unknown): readonly string[] {
  const texts: string[] = [];
  const queue = [value];
  // A loop: JSON may nest deeper than a stack.
  for (const part of queue) {
    if (isObjectOrList(part)) for (const child of valuesOf(part)) queue.push(child);
    else texts.push(textOf(part));
  }
  return texts;
}
