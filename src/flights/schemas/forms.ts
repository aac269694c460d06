import { calendarDay } from "./rules.ts";

// Apart from rules.ts, which is loaded with every client.

/** The form of a string in a request, and the reason to refuse any other. */
export interface Form {
  readonly form: RegExp;
  readonly reason: string;
}

export const airportCode: Form = { form: /^[A-Za-z]{3}$/, reason: "must be a 3-letter airport code" };
export const emailAddress: Form = { form: /^[^\s@]+@[^\s@]+$/, reason: "must be an e-mail address" };
export const calendarDate: Form = { form: calendarDay, reason: "must be a calendar date as YYYY-MM-DD" };
export const filledText: Form = { form: /./s, reason: "must be a non-empty string" };

export const titles = ["Mr", "Mrs", "Ms", "Mstr"] as const;
export const passengerTypes = ["adult", "child", "infant"] as const;
export const genders = ["M", "F"] as const;

/** Returns the reason to refuse what is none of several values. */
export function mustBeOneOf(values: readonly string[]): string {
  return `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

export const mustBeChoices = "must be a list with one entry per leg";
