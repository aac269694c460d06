import type { AnyServiceApiError } from "../../errors/any.ts";
import type { FindManyResult } from "../../verification/many/options.ts";
import type { VpaResult } from "../../verification/types.ts";
import { isUsable } from "../../verification/usable.ts";
import { failureText } from "../shared/failure-text.ts";

type Unsuccessful = Exclude<FindManyResult, { kind: "found" }>;

/** Explains a row without a result to the person with the spreadsheet, who knows no API. */
export function explain(found: Unsuccessful, number: string): string {
  switch (found.kind) {
    case "notFound":
      return "No UPI ID is linked to this number.";
    case "pending":
      return "The service is still looking this number up. Look it up again later.";
    case "invalid":
      return found.error.kind === "invalid"
        ? `The service refused this number${quoteService(found.error)}.`
        : explainNumber(number);
    case "failed":
      if (found.error.kind === "response_validation" && found.error.reason === "otherRequest") {
        return "The service sent the result of another number. Look it up again later.";
      }
      return `${failureText(found.error.kind)}${quoteService(found.error)}. Look it up again later.`;
  }
}

/** Returns why an account must not be paid, if it is not usable. */
export function explainUnusable(result: VpaResult): readonly string[] {
  if (isUsable(result)) return [];
  const { accountStatus }: Partial<VpaResult> = result;
  if (accountStatus === "VALID") return ["The account has no VPA: not usable for payments."];
  // Another text may be of a person.
  const isCode = typeof accountStatus === "string" && /^[A-Z_]{1,24}$/.test(accountStatus);
  return [`The account is ${isCode ? `${accountStatus}, ` : ""}not VALID: not usable for payments.`];
}

/** Whether a spreadsheet has written a number as `6E+09`: its digits are lost. */
export function isShortened(number: string): boolean {
  return /^\s*\d(?:[.,]\d*)?E\+?\d{1,2}\s*$/i.test(number);
}

function explainNumber(number: string): string {
  if (number.trim() === "") return "There is no number in this row.";
  if (isShortened(number)) {
    return "A spreadsheet has shortened this number. Format the column as text there, and export the file again.";
  }
  return "This is not an Indian mobile number: it must have ten digits, the first from 6 to 9.";
}

function quoteService(error: AnyServiceApiError): string {
  const said = "serviceMessage" in error ? error.serviceMessage?.trim() : undefined;
  return said === undefined || said === "" ? "" : `: "${said.replace(/[.]$/, "")}"`;
}
