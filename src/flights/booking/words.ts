import type { OperationResponse } from "../../operation.ts";
import { isList, trimmedScalar } from "../../shared/json.ts";
import { readStrings } from "./strings.ts";
import { askedAgain, broken, constraint, namedField, plainRefusal, underWay } from "./vocabulary.ts";

/** Conclusions from the words of a refused booking. */
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
  const { messages, others, isWhole, isDone } = readStrings(response);
  // What was not read may say so.
  if (isDone || !isWhole) return { isUnderWay: true, isBroken: false, namesFault: false, isSilent: false };
  // "Flight unavailable" and "fully booked" are plain refusals, and their words say nothing else.
  const said = [...messages].map(separateWords).join("\n").replaceAll(plainRefusal, " ");
  const rest = `${said}\n${[...others].map(separateWords).join("\n").replaceAll(plainRefusal, " ")}`;
  const isBroken = broken.test(rest);
  return {
    isUnderWay: underWay.test(rest),
    isBroken,
    namesFault: !isBroken && !askedAgain.test(rest) && constraint.test(said) && namedField.test(said),
    isSilent: isSilent(response),
  };
}

/**
 * Separates the words of codes (`ALREADY_BOOKED`, `pnrCreated`), and removes accents (`réservé`) and paths: that of the
 * call contains `book`.
 */
function separateWords(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]/g, "")
    .replaceAll(/(^|[\s"'(:=])\/[\w.~%/-]+/g, "$1 ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ");
}

/** Returns true if the body has at most the status and the code of a refusal. */
function isSilent({ body }: OperationResponse): boolean {
  const isEmpty = (value: unknown) => value === null || value === "";
  if (typeof body === "string") return body.trim() === "";
  if (isList(body)) return body.every(isEmpty);
  if (typeof body === "number" || typeof body === "boolean") return false;
  return Object.entries(Object(body)).every(
    ([key, value]) => isEmpty(value) || (/^status(_?code)?$/i.test(key) && isPlainFailure(trimmedScalar(value))),
  );
}

function isPlainFailure(status: string): boolean {
  return Number(status) >= 400 || /^(fail(ed|ure)?|error|rejected)$/i.test(status);
}
