import { field, isObject, isString, stringOf } from "../../shared/json.ts";
import type { Schema } from "../../shared/schema.ts";
import { unknownFields } from "../../shared/unknown-names.ts";
import { plainGuidance } from "../quote/normalize.ts";
import { gstFields, passengerSchema, passengerShape } from "../schemas.ts";
import type { Gender, GstDetails, Title } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { type FieldProblem, fields, fill, type PassengerIssue, problems } from "./issues.ts";

type Path = PassengerIssue["path"];

/** Checks the fields: the rules of §4.3, and blank fields, mobile numbers and dates of birth beyond them. */
export function checkFields({ given, today, firstDay, report }: CheckContext): void {
  const refuse = ({ path, value, reason, problem }: Fault) => {
    const name = String(path.findLast((key) => typeof key === "string"));
    const { label = "", choices = [], problem: ofForm } = fields[name] ?? {};
    const found = problem ?? (isBlank(value) ? "required" : (typeof value === "string" && ofForm) || "invalid_type");
    const enter = choices.length > 0 ? "Choose" : "Enter";
    report("invalid_field", path, {
      problem: found,
      words: { sentence: fill(problems[found], { enter, label, choices: choices.join(", ") }) },
      developerMessage: reason,
      // `Adult` and `mr` need no thought: the value in the service's own spelling.
      suggestion: choices.find((choice) => choice.toLowerCase() === stringOf(value).trim().toLowerCase()),
    });
  };
  for (const [index, passenger] of given.entries()) {
    const path = ["passengers", index];
    for (const fault of faultsIn(passenger, passengerSchema, path)) {
      // A GST field that is missing and one that is blank are one fault: `gst_incomplete`.
      if (fault.path[2] !== "gst" || fault.path.length === 3 || !isBlank(fault.value)) refuse(fault);
    }
    const dob = field(passenger, "dob");
    // `checkAges` reports a date of birth after the departure.
    if (!isCalendarDate(dob) || (firstDay !== undefined && dob > firstDay)) continue;
    const problem = dob < "1900-01-01" ? "born_before_1900" : dob > today ? "born_after_today" : undefined;
    const reason = `must be a date from 1900-01-01 to ${today}`;
    if (problem !== undefined) refuse({ path: [...path, "dob"], value: dob, reason, problem });
  }
}

interface Fault {
  readonly path: Path;
  readonly value: unknown;
  readonly reason: string;
  readonly problem?: FieldProblem;
}

/** More than any trip has legs. A list of more is not read. */
const maxChoices = 99;

/** Finds what breaks the rules of the document in a value, and the fields of a passenger left blank. */
function* faultsIn(value: unknown, schema: Schema<unknown>, path: Path): Generator<Fault> {
  const { fields: inner, element, message = inner === undefined ? "must be a string" : "must be an object" } = schema;
  if (inner !== undefined && isObject(value)) {
    for (const [name, of] of Object.entries(inner)) yield* faultsIn(value[name], of, [...path, name]);
    const unknown: string[] = [];
    for (const name in value) if (!Object.hasOwn(inner, name)) unknown.push(name);
    if (unknown.length > 0) yield { path, value, reason: unknownFields(unknown), problem: "unknown_field" };
  } else if (element !== undefined && Array.isArray(value) && value.length <= maxChoices) {
    for (const [i, one] of value.entries()) yield* faultsIn(one, element, [...path, i]);
  } else if (!schema.passes(value)) yield { path, value, reason: value === undefined ? "is missing" : message };
  // A field of the passenger itself, such as `passengers[0].fname`.
  else if (path.length === 3 && isBlank(value) && !schema.passes(undefined)) {
    yield { path, value, reason: "must not be blank" };
  } else if (path.length === 3 && path[2] === "mobile" && !isMobile(stringOf(value))) {
    yield { path, value, reason: "must have 7 to 15 digits", problem: "invalid_mobile" };
  }
}

/** A mobile number of any country, as people write it: 7 to 15 digits. */
function isMobile(text: string): boolean {
  const digits = text.replaceAll(/\D/g, "").length;
  return /^\+?[\d\s\p{Pd}().]+$/u.test(text.trim()) && digits >= 7 && digits <= 15;
}

/** A day that the calendar has, as `YYYY-MM-DD`: it sorts as a string. */
const isCalendarDate = passengerShape.dob.passes;

/** Not filled in: nothing, or white space. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * Checks ages on the days of travel (docs/assumptions.md, F8): adults and children on the first departure, infants on
 * the last. Only calendar dates count. A birthday on 29 February is on 1 March in other years.
 */
export function checkAges(context: CheckContext): void {
  const { offer, passengers, types, firstDay, lastDay, departuresKnown, limits, report } = context;
  if (!departuresKnown) report("departure_unknown", ["offer", "segments"]);
  if (firstDay === undefined || lastDay === undefined) return;
  const { infantUnder, adultFrom, seniorFrom } = limits;
  const isSeniorFare = /senior/i.test(stringOf(offer.fare_type));
  for (const [i, { dob }] of passengers.entries()) {
    // Not a calendar date: `checkFields` reports it.
    if (!isCalendarDate(dob)) continue;
    if (dob > firstDay) {
      report("born_after_departure", ["passengers", i, "dob"]);
      continue;
    }
    const [atFirst, atLast] = [ageOn(dob, firstDay), ageOn(dob, lastDay)];
    // With the field that is probably wrong.
    const rules = [
      ["adult", "adult_too_young", "passenger_type", atFirst < adultFrom],
      ["adult", "senior_fare_age", "dob", isSeniorFare && atFirst < seniorFrom],
      ["child", "child_too_old", "passenger_type", atFirst >= adultFrom],
      // A passenger who turns two between the departures needs a child's seat on the last, so they may have one on all.
      ["child", "child_too_young", "passenger_type", Math.max(atFirst, atLast) < infantUnder],
      ["infant", "infant_too_old", "passenger_type", atLast >= infantUnder],
    ] as const;
    const [, code, field] = rules.find(([type, , , isBroken]) => isBroken && type === types[i]) ?? [];
    if (code === undefined) continue;
    const younger = atLast >= infantUnder ? "child" : "infant";
    report(code, ["passengers", i, field], {
      values: { ...limits, firstDay, lastDay },
      suggestion: field === "dob" ? undefined : atFirst >= adultFrom ? "adult" : younger,
    });
  }
}

function ageOn(born: string, day: string): number {
  const hadBirthday = day.slice(5) >= born.slice(5);
  return Number(day.slice(0, 4)) - Number(born.slice(0, 4)) - (hadBirthday ? 0 : 1);
}

const genders: Partial<Record<string, Gender>> = { Mr: "M", Mstr: "M", Mrs: "F", Ms: "F" };

/** `Mstr` is a male child or infant, `Mr` male, `Mrs` and `Ms` female (docs/assumptions.md, F9). */
export function checkTitles({ passengers, types, report }: CheckContext): void {
  for (const [i, { title, gender }] of passengers.entries()) {
    if (gender !== "F" && gender !== "M") continue;
    const isAdult = types[i] === "adult";
    const suggestion: Title = gender === "F" ? "Ms" : isAdult ? "Mr" : "Mstr";
    const ofTitle = genders[stringOf(title)];
    if (ofTitle !== undefined && ofTitle !== gender) {
      report("title_gender_mismatch", ["passengers", i, "title"], { suggestion });
    } else if (title === "Mstr" && isAdult) report("title_age_mismatch", ["passengers", i, "title"], { suggestion });
  }
}

/** Names are letters and spaces (docs/assumptions.md, F20). A better spelling is suggested, never put in. */
export function checkNames({ passengers, offer, report }: CheckContext): void {
  for (const [i, passenger] of passengers.entries()) {
    for (const field of ["fname", "lname"] as const) {
      const name = stringOf(passenger[field]);
      if (/^(?:[A-Za-z]+(?: [A-Za-z]+)*)?$/.test(name)) continue;
      const path = ["passengers", i, field];
      const spelt = spell(name);
      const guidance = plainGuidance(offer[`${field}_format`]);
      const more = { suggestion: spelt === "" || spelt === name ? undefined : spelt, guidance };
      const letters = name.replaceAll(punctuation, "");
      if (!/^[\p{L}\p{M} ]*$/u.test(letters) || !/\p{L}/u.test(letters)) {
        report("name_characters", path, more);
        continue;
      }
      if (letters !== name) report("name_punctuation", path, more);
      if (!/^[A-Za-z ]*$/.test(letters)) report("name_not_latin", path, more);
      if (/^ | $| {2}/.test(name)) report("name_spacing", path, more);
    }
  }
}

/** An apostrophe, a hyphen or a dot, as in O'BRIEN: part of many names, which airlines write without it. */
const punctuation = /['’‘ʼ\-‐‑.]/g;

/** Letters that are more than one of A to Z with an accent. */
const spellings: Record<string, string> = { ß: "ss", Æ: "AE", Ø: "OE", Œ: "OE", Ł: "L", Đ: "D", Þ: "TH" };

/** `José-Luis O’Brien` → `Jose Luis OBrien`; empty if no letter of A to Z is left. */
function spell(name: string): string {
  const latin = name.normalize("NFD").replaceAll(/[\u0300-\u036f'’‘ʼ`´.]/g, "");
  const spelt = latin.replaceAll(
    /[ßÆæØøŒœŁłĐđÞþ]/g,
    (letter) => spellings[letter] ?? (spellings[letter.toUpperCase()] ?? "").toLowerCase(),
  );
  const plain = spelt.replaceAll(/[-‐–_/,\s]+/g, " ").trim();
  return /^[A-Za-z ]+$/.test(plain) ? plain : "";
}

/** Formats that are only warnings: the document calls the fields strings and states no format. */
const gstForms: Partial<Record<keyof GstDetails, (text: string) => boolean>> = {
  // State code, PAN of the company, entity number, Z, check character.
  gst_number: (text) => /^\d{2}[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]$/i.test(text),
  gst_company_mobile: isMobile,
  gst_company_email: passengerShape.email.passes,
};

/** GST must be complete if the offer makes it mandatory, or if it was partly filled in (docs/assumptions.md, F9). */
export function checkGst({ passengers, offer, report }: CheckContext): void {
  let isGiven = false;
  for (const [i, { gst }] of passengers.entries()) {
    if (typeof gst !== "object" || gst === null) continue;
    const blank = gstFields.filter((name) => isBlank(gst[name]));
    // Five blank strings: a form that always sends the object, not filled in.
    if (blank.length === gstFields.length && blank.every((name) => isString(gst[name]))) continue;
    isGiven = true;
    for (const name of gstFields) {
      const isBlank = blank.includes(name);
      if (!isBlank && (gstForms[name]?.(stringOf(gst[name]).trim()) ?? true)) continue;
      const form = name === "gst_number" ? "gst_number_form" : "gst_contact_form";
      const words = { label: fields[name]?.label ?? name };
      report(isBlank ? "gst_incomplete" : form, ["passengers", i, "gst", name], { words });
    }
  }
  if (offer.gst_mandatory && !isGiven) report("gst_missing", ["passengers", 0, "gst"]);
}
