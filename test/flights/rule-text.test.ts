import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fareRuleText } from "../../src/flights/rule-text.ts";
import type { FareRule } from "../../src/flights/types/index.ts";
import { sample, samples } from "./samples.ts";

const rulesOf = (name: string) => (sample(name) as FareRule).data.result.map((rule) => fareRuleText(rule.fare_rules));

describe("fare rules as plain text", () => {
  it("keeps headings, rows and lists readable", () => {
    const [text = ""] = rulesOf("fare_rule/success-roundtrip");
    expect(text.split("\n")).toEqual([
      "Adult",
      "",
      "Cancel before departure: Allowed with restriction",
      "Cancel before departure - no show: Not allowed",
      "Change before departure: Allowed with restriction",
      "",
      "Infant",
      "Same as adult — where applicable.",
      "",
      "Days left | Change fee | Cancel fee",
      "0 to 2 Hrs. | 100% | 100%",
      "Within 3 days | INR 3000 | INR 3500",
      "More than 3 days | INR 2500 | INR 3000",
      "",
      "• Fees are indicative, per passenger and per sector.",
      "• GST and agency charges are extra.",
      "• Send domestic requests at least 2 hours, international requests at least 4 hours before the airline's limit.",
      "  • Nested note",
      "",
      "शुल्क बदल सकते हैं 🛫",
    ]);
  });

  it.each([
    ["Fee INR 3000</b 1234", "Fee INR 3000"],
    ["Fee</p INR 500", "Fee"],
  ])("a tag that is cut adds nothing to the text before it: %s", (html, text) => {
    expect(fareRuleText(html)).toBe(text);
  });

  it("leaves rules that are not HTML as they are, line by line", () => {
    expect(rulesOf("fare_rule/success-roundtrip")[1]).toBe(
      "PLAIN TEXT RULES\\n\nNO HTML HERE".replace("\\n\n", "\\n\n"),
    );
    expect(fareRuleText("A < B & C > D\r\nNEXT\n\n\n\nLAST")).toBe("A < B & C > D\nNEXT\n\nLAST");
  });

  it.each([
    "Refund INR 500 <within 24 hrs of departure> else INR 3500",
    "Fee INR 3000 <ADULT> INR 1500 <CHILD>",
    "If <24 hrs: INR 3000; if <=72 hrs: INR 2000; </3 hrs no show",
    "Rule <non-refundable>, see <NOTE 1>, <!IMPORTANT> <?> and <24h",
    "Names as <SURNAME>/<NAME> <TITLE>",
  ])("keeps what only looks like a tag: %s", (text) => {
    expect(fareRuleText(text)).toBe(text);
    expect(fareRuleText(`<p>${text}</p>`)).toBe(text);
  });

  it("removes the tags of a document, and those with a namespace", () => {
    const page = "<!DOCTYPE html><html><head><title>Rules</title></head><body><o:p class=x>Fee</o:p></body></html>";
    expect(fareRuleText(`<?xml version="1.0"?>${page}`)).toBe("Fee");
  });

  it("reads the line breaks of any system, and leaves no space before a bar or an ellipsis", () => {
    expect(fareRuleText("FEE\rINR 3500\r\nGST")).toBe("FEE\nINR 3500\nGST");
    expect(fareRuleText("<table><tr><td>FEE </td><td>INR 3500</td></tr></table>")).toBe("FEE | INR 3500");
    expect(fareRuleText("FEE INR 3500", { maxLength: 5 })).toBe("FEE…");
  });

  it("is empty if the rules are", () => {
    expect(rulesOf("fare_rule/success-empty-text")).toEqual([""]);
    expect(fareRuleText("<div><br><br>&nbsp;<p></p></div>")).toBe("");
  });

  it.each([undefined, null, 5, {}, ["<p>Fee</p>"]])("is empty if a drifted response lacks it: %j", (html) => {
    expect(fareRuleText(html as never)).toBe("");
    expect(() => fareRuleText(html as never, { maxLength: 0 })).toThrow("`maxLength`");
  });

  it("keeps every clause of a long text, numbered brackets included", () => {
    const [text = ""] = rulesOf("fare_rule/success-html-long");
    expect(text).toContain(
      "01. DEMO CLAUSE 1 - UNLESS OTHERWISE SPECIFIED, NOTE <RULE 0001> APPLIES TO THIS FARE.\n\n02.",
    );
    expect(text).not.toMatch(/&[a-z]+;|<\/?(?:p|div|td|li)/);
  });

  it("leaves only the visible text of an attack", () => {
    const [text = ""] = rulesOf("fare_rule/success-hostile-html");
    expect(text.replaceAll(/\s+/g, " ")).toBe("rulesFee INR 3500<script>text</script>");
    expect(text).not.toMatch(/steal|alert|display|hidden|onerror|example\.com/);
  });

  it.each(samples("fare_rule", "success"))("%s has no tag and no double blank line left", (name) => {
    for (const text of rulesOf(name)) expect(text).not.toMatch(/\n\n\n|<(?:br|div|table|ul)/);
  });
});

describe("broken HTML", () => {
  it.each([
    ["<b>bold <i>both</b> italic</i>", "bold both italic"],
    ["<ul><li>one<li>two</ul>after", "• one\n• two\nafter"],
    ["<table><tr><td>a<td>b<tr><td>c</table>", "a | b\nc"],
    ["<td>lone cell", "lone cell"],
    ["</ul></li>text</p>", "text"],
    ["<p>open <b", "open"],
    ["a<br/><br><BR />b", "a\n\nb"],
    ["<ol><li>x<ol><li>y</li></ol></li></ol>", "• x\n  • y"],
    ["&lt;b&gt; &amp;amp; &#x20B9;3500 &unknown;", "<b> &amp; ₹3500 &unknown;"],
    ["<script>if (a < b) { evil() }</script>ok", "ok"],
    ["<style>a{}</style><!-- c -->ok<![CDATA[no]]>", "ok"],
    ["<div hidden>shown</div>", "shown"],
    ["<embed src=x>kept <object data=y><p>fallback <template/>and <canvas>the rest", "kept\n\nfallback and the rest"],
    ["<iframe src=x>never</iframe>shown</iframe>", "shown"],
    ["one\u00a0 two\t three", "one two three"],
  ])("%j", (html, text) => {
    expect(fareRuleText(html)).toBe(text);
  });

  it("never throws and never grows, for any string", () => {
    const piece = fc.constantFrom(
      "<b>",
      "</b>",
      "<ul>",
      "<li>",
      "</ul>",
      "<td>",
      "<tr>",
      "<br>",
      "<script>",
      "</script>",
      "&",
      "<",
      ">",
      "x ",
      "\n",
      "<!--",
      "-->",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        const html = pieces.join("");
        expect(fareRuleText(html).length).toBeLessThanOrEqual(html.length * 24);
      }),
    );
  });
});

describe("bounds", () => {
  it("truncates rules that are too long, and says so", () => {
    const text = fareRuleText("word ".repeat(1000), { maxLength: 100 });
    expect(text).toHaveLength(100);
    expect(text.endsWith("…")).toBe(true);
    expect(fareRuleText("x".repeat(100), { maxLength: 100 })).toBe("x".repeat(100));
    const paragraphs = fareRuleText("<p>x</p>".repeat(100_000));
    expect(paragraphs).toHaveLength(99_998);
    expect(paragraphs.endsWith("x\n\nx…")).toBe(true);
  });

  it("refuses an option that it does not know", () => {
    const options = { maxLen: 100 };
    expect(() => fareRuleText("x", options as never)).toThrow(/^fareRuleText: unknown option "maxLen"/);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a limit of %d", (maxLength) => {
    expect(() => fareRuleText("x", { maxLength })).toThrow(
      /^fareRuleText: `maxLength` must be an integer of at least 1\.$/,
    );
  });

  it("takes a hundred thousand open tags and a deep list", () => {
    const lines = (html: string) => fareRuleText(html).split("\n").length;
    expect(lines("<div><ul><li>".repeat(100_000))).toBeGreaterThan(0);
    expect(lines(`${"<table><tr><td>".repeat(50_000)}x`)).toBeGreaterThan(0);
  });
});
