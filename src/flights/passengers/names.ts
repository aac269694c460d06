import { stringOf } from "../../shared/json.ts";
import type { Gender, Title } from "../types/index.ts";
import { type CheckContext, typeOf } from "./context.ts";
import { issue, type PassengerIssue } from "./issues.ts";

/** Names are letters and spaces (docs/assumptions.md, F20). A better spelling is suggested, never put in. */
export function checkNames({ passengers, offer }: CheckContext): PassengerIssue[] {
  const formats = { fname: offer.fname_format, lname: offer.lname_format };
  return passengers.flatMap((passenger, i) =>
    (["fname", "lname"] as const).flatMap((field) =>
      checkName(stringOf(passenger[field]), ["passengers", i, field], plainGuidance(formats[field])),
    ),
  );
}

/** An apostrophe, a hyphen or a dot, as in O'BRIEN: part of many names, which airlines write without it. */
const punctuation = /['’‘ʼ\-‐‑.]/g;

function checkName(name: string, path: readonly (string | number)[], guidance: string | undefined): PassengerIssue[] {
  if (name === "") return [];
  const suggestion = spell(name);
  const more = { suggestion: suggestion === "" || suggestion === name ? undefined : suggestion, guidance };
  const letters = name.replaceAll(punctuation, "");
  if (!/^[\p{L}\p{M} ]*$/u.test(letters) || !/\p{L}/u.test(letters)) {
    return [issue("name_characters", path, "Use letters and spaces only, as on the travel document.", more)];
  }
  const found: PassengerIssue[] = [];
  if (letters !== name) {
    const message =
      "Airlines write names without apostrophes, hyphens and dots; the ticket may show the name without them.";
    found.push(issue("name_punctuation", path, message, more));
  }
  if (!/^[A-Za-z ]*$/.test(letters)) {
    const message =
      "The name has letters beyond A to Z; write it as in the machine-readable lines of the travel document.";
    found.push(issue("name_not_latin", path, message, more));
  }
  if (/^ | $| {2}/.test(name)) {
    found.push(issue("name_spacing", path, "The name has an extra space, which may appear on the ticket.", more));
  }
  return found;
}

const spellings: Record<string, string> = {
  ß: "ss",
  Æ: "AE",
  æ: "ae",
  Ø: "OE",
  ø: "oe",
  Œ: "OE",
  œ: "oe",
  Ł: "L",
  ł: "l",
  Đ: "D",
  đ: "d",
  Þ: "TH",
  þ: "th",
};

/** `José-Luis O’Brien` → `Jose Luis OBrien`; empty if no letter of A to Z is left. */
function spell(name: string): string {
  const latin = name.normalize("NFD").replaceAll(/[\u0300-\u036f'’‘ʼ`´.]/g, "");
  const spelt = latin.replaceAll(/[ßÆæØøŒœŁłĐđÞþ]/g, (letter) => spellings[letter] ?? "");
  const plain = spelt.replaceAll(/[-‐–_/,\s]+/g, " ").trim();
  return /^[A-Za-z ]+$/.test(plain) ? plain : "";
}

/** Tags of text by their names: in "if < 20 letters; initials if > 20" and "<SURNAME>/<NAME>" there is none. */
const tag =
  /<\/?(?:a|abbr|b|big|blockquote|br|center|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|img|li|ol|p|pre|s|script|small|span|strong|style|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul)(?![\w:-])[^<>]{0,1000}>/gi;

/** Returns the airline's guidance without HTML. It is shown as text, so it needs no parser to be safe. */
export function plainGuidance(html: unknown): string | undefined {
  const lines = stringOf(html)
    .replaceAll(/<br\b[^<>]{0,1000}>/gi, "\n")
    .replaceAll(tag, " ")
    .replaceAll(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? " ")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "");
  return lines.length > 0 ? lines.join("\n") : undefined;
}

const entities: Record<string, string> = { nbsp: " ", amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** `Mstr` is a male child or infant, `Mr` male, `Mrs` and `Ms` female (docs/assumptions.md, F9). */
export function checkTitles({ passengers }: CheckContext): PassengerIssue[] {
  return passengers.flatMap((passenger, i) => {
    const { title, gender } = passenger;
    const isAdult = typeOf(passenger) === "adult";
    const path = ["passengers", i, "title"];
    const right = rightTitle(gender, isAdult);
    if (right === undefined) return [];
    const wanted = genders[stringOf(title)];
    if (wanted !== undefined && wanted !== gender) {
      return [issue("title_gender_mismatch", path, "The title does not match the gender.", { suggestion: right })];
    }
    return title === "Mstr" && isAdult
      ? [
          issue("title_age_mismatch", path, "The title Mstr is for boys who travel as a child or an infant.", {
            suggestion: right,
          }),
        ]
      : [];
  });
}

const genders: Partial<Record<string, Gender>> = { Mr: "M", Mstr: "M", Mrs: "F", Ms: "F" };

function rightTitle(gender: unknown, isAdult: boolean): Title | undefined {
  if (gender === "F") return "Ms";
  return gender === "M" ? (isAdult ? "Mr" : "Mstr") : undefined;
}
