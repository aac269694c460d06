import fc from "fast-check";
import { describe, expect } from "vitest";
import { formIssues, passengerForm, readPassengerForm } from "../../src/flights/forms/index.ts";
import {
  compareBooking,
  fareBreakdown,
  fees,
  isPassenger,
  itinerary,
  type PassengerIssue,
  ticketDeadline,
  validatePassengers,
} from "../../src/flights/index.ts";
import { fareRuleText } from "../../src/flights/rule-text.ts";
import { sampleOffer, samplePassengers } from "../flights/offers.ts";
import { sample } from "../flights/samples.ts";
import { anyText, anything, drifted, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const passengers = samplePassengers("international-family-ssr-gst");
const anyOffer = fc.oneof(drifted(sampleOffer("international-roundtrip-family")), anything);
const anyPassengers = fc.oneof(drifted(passengers), anything);

describe("a quote", () => {
  const query = fc.record({ type: fc.constantFrom("Cancellation", "Reissue"), at: fc.constant("2027-03-01 00:00:00") });
  property(
    "is read as far as possible, or refused",
    fc.tuple(anyOffer, fc.oneof(query, anything)),
    async ([offer, asked]) => {
      const given = offer as never;
      await refusesTyped(() => fees(given, asked as never));
      await refusesTyped(() => itinerary(given));
      await refusesTyped(() => fareBreakdown(given));
      await refusesTyped(() => {
        const deadline = ticketDeadline(given);
        deadline?.remaining();
      });
    },
  );

  const someIssues = validatePassengers(sampleOffer("international-roundtrip-family"), [{}, ...passengers]);
  property(
    "and its passengers are checked, each issue at a place that exists",
    fc.tuple(anyOffer, anyPassengers, fc.oneof(fc.constant(someIssues), drifted(someIssues), anything)),
    async ([offer, given, other]) => {
      let issues: readonly PassengerIssue[] = [];
      await refusesTyped(() => {
        issues = validatePassengers(offer as never, given as never);
      });
      for (const { path, message, code } of issues) {
        expect(path[0]).toBeOneOf(["passengers", "offer"]);
        expect([message, code].every((text) => text.length > 0)).toBe(true);
      }
      formIssues(issues);
      await refusesTyped(() => formIssues(other as never));
      isPassenger(given);
    },
  );

  const form = passengerForm(sampleOffer("international-roundtrip-family"));
  const entries = fc.array(
    fc.tuple(fc.oneof(anyText, fc.stringMatching(/^passengers\.\d{1,3}(\.gst)?\.[a-z_]+$/)), anyText),
  );
  property(
    "has a form, from which passengers are read",
    fc.tuple(anyOffer, entries, fc.oneof(drifted(form), anything)),
    async ([offer, fields, other]) => {
      await refusesTyped(() => {
        const form = passengerForm(offer as never);
        const search = new URLSearchParams(fields.map(([name, value]) => [name, value]));
        const typed = readPassengerForm(form, search);
        if (form.isCountKnown) expect(typed).toHaveLength(form.passengers.length);
        expect(typed.length).toBeLessThanOrEqual(99);
      });
      await refusesTyped(() => readPassengerForm(other as never, new URLSearchParams()));
    },
  );
});

describe("a booking", () => {
  const booked = (sample("book/success-international-family") as { data: { result: object } }).data.result;
  property(
    "is compared with its quote, or refused",
    fc.tuple(anyOffer, fc.oneof(drifted(booked), anything), anyPassengers),
    async ([offer, result, sent]) => {
      await refusesTyped(() => compareBooking(offer as never, result, sent as never));
    },
  );
});

describe("a fare rule", () => {
  const markup = fc.array(
    fc.oneof(
      anyText,
      fc.constantFrom(
        "<",
        ">",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<p",
        "&",
        "&#x",
        "&amp;lt;",
        "<br>",
        "<![CDATA[",
        "]]>",
        "<style>",
        '"',
        "'",
      ),
    ),
    { maxLength: 30 },
  );
  property("is text of at most its maximum length", fc.tuple(markup, fc.integer()), async ([parts, maxLength]) => {
    const html = parts.join("");
    expect(fareRuleText(html)).toSatisfy((text) => text.trim() === text);
    await refusesTyped(() => expect(fareRuleText(html, { maxLength }).length).toBeLessThanOrEqual(maxLength));
  });

  property("keeps text without markup", anyText, (text) => {
    const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const words = (given: string) => given.split(/\s+/).filter(Boolean);
    expect(words(fareRuleText(html))).toEqual(words(text));
  });
});
