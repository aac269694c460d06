import { readFileSync } from "node:fs";
import { secret } from "../secrets.ts";
import { Finder } from "./finder.ts";

/** The credentials of webhooks, and of commands, which run as processes: no call of the client passes them on. */
const constants = [
  secret,
  // As in a message that was cut.
  secret.slice(0, 12),
  secret.slice(-12),
  "demo-secret-of-this-test",
  "demo-secret-of-the-guides",
  "secret-of-mine",
  "the-secret-of-the-panel",
  "webhook-secret-of-the-test",
  "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
];

/**
 * Learned while a file loads: a module of it may stay loaded, with its credentials, for the next files of the process.
 * Not "the secret", of which messages speak.
 */
const loaded = new Set<string>();
let isLoading = true;
let finder: Finder | undefined;

/** Returns what finds the credentials of this test file, and the people of the samples; many files need none of it. */
export function known(): Finder {
  finder ??= createFinder();
  return finder;
}

/** Adds a credential with which a client or a check is created; a shorter one may be a word of any message. */
export function learnSecret(value: string): void {
  if (value.length < 10) return;
  if (isLoading && value.length >= 16) loaded.add(value);
  known().add("a secret", value);
}

/** Says that the file is loaded, and that its tests begin. */
export function endLoading(): void {
  isLoading = false;
}

/** Forgets the credentials of the tests of a file, before the next one loads. */
export function forgetSecrets(): void {
  finder = undefined;
  isLoading = true;
}

const folder = new URL("../../../src/emulator/samples/", import.meta.url);
const samples = [
  "flight/book/request-international-family-ssr-gst.json",
  "flight/book/request-lcc-gst-seat.json",
  "flight/book/request-oneway-adult.json",
  "verification/success-multiple.json",
  "verification/success-single.json",
];
/** Without `lname`, which is EXAMPLE. */
const personal = /^(?:fname|mobile|email|address|dob|name|vpa|gst_(?!company_name).+)$/;

function personalFields(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) =>
    typeof field === "string" && personal.test(key) ? [field, ...withCountryCode(field)] : personalFields(field),
  );
}

function withCountryCode(field: string): readonly string[] {
  return /^\d{10}$/.test(field) ? [`91${field}`] : [];
}

/** Returns the personal data of the samples. */
export function samplePeople(): readonly string[] {
  return samples.flatMap((name) => personalFields(JSON.parse(readFileSync(new URL(name, folder), "utf8"))));
}

function createFinder(): Finder {
  const created = new Finder();
  for (const value of [...constants, ...loaded]) created.add("a secret", value);
  for (const value of samplePeople()) created.add("personal data", value);
  return created;
}
