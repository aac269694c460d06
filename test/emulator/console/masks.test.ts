import { describe, expect, it } from "vitest";
import { framings } from "../../../src/emulator/ai/framing.ts";
import { KeptPieces } from "../../../src/emulator/console/exchange.ts";
import { cutText, showHeaders, showJson, showPath, showPiece, showText } from "../../../src/emulator/console/masks.ts";
import { cut, pieces as piecesOf } from "../../../src/emulator/http/messages.ts";

const asha = { status: "success", name: "ASHA EXAMPLE", vpaList: ["9876540001@examplebank"], mobile: 9876540001 };
const personal = /ASHA|98765|examplebank/;

describe("what the console shows", () => {
  it("masks bodies as the client's logs do, unless personal data is shown", () => {
    expect(showJson(asha, false)).not.toMatch(personal);
    expect(showJson(asha, false)).toContain('"status": "success"');
    expect(JSON.parse(showJson(asha, true))).toEqual(asha);
  });

  it("masks a body that is not JSON as a whole", () => {
    expect(showText("name=ASHA", false)).toBe("[9 characters]");
    expect(showText("name=ASHA", true)).toBe("name=ASHA");
    expect(showText("", false)).toBe("");
  });

  it("masks credentials, always, and headers that may be personal", () => {
    const headers = {
      "client-id": "partner-17",
      authorization: "Bearer abc",
      cookie: "session=1",
      "x-api-key": "k",
      "x-user": "asha@mail.example",
      "content-type": "application/json",
    };
    const [id, authorization, cookie, key, user, type] = showHeaders(headers, false).map(([, value]) => value);
    expect([id, authorization, cookie, key, user]).toEqual(
      [10, 10, 9, 1, 17].map((length) => `[${length} characters]`),
    );
    expect(type).toBe("application/json");
    expect(Object.fromEntries(showHeaders(headers, true))).toMatchObject({
      "client-id": "[10 characters]",
      authorization: "[10 characters]",
      cookie: "[9 characters]",
      "x-api-key": "[1 characters]",
      "x-user": "asha@mail.example",
    });
  });

  it("masks the credentials in a body, also if personal data is shown", () => {
    const body = { vpa_mobile: "9876540001", clientData: { client_id: "partner-17", mobile: "9876540001" } };
    for (const shown of [
      showJson([body, { "Client-Secret": { nested: "partner-17" } }], true),
      showPiece(`data: ${JSON.stringify(body)}\n\n`, true),
      showPiece(JSON.stringify(body), true),
    ]) {
      expect(shown).not.toContain("partner-17");
      expect(shown).toContain("9876540001");
    }
    expect(showJson(body, true)).toContain('"client_id": "[10 characters]"');
    // Text without a structure is masked as a whole.
    expect(showText("client_id=partner-17&x=1", true)).toBe("[24 characters]");
    expect(showPiece('data: {"client_id":"partner-17', true)).toBe("data: [24 characters]");
  });

  it("masks the paths that belong to no operation", () => {
    expect(showPath("/users/9876540001/asha@mail.example/x%40y", false, false)).toBe("/users/…/…/…");
    expect(showPath("/users/9876540001", false, true)).toBe("/users/9876540001");
    expect(showPath("/v1234/flight/book", true, false)).toBe("/v1234/flight/book");
  });

  it.each(Object.keys(framings) as (keyof typeof framings)[])("masks each event of a stream: %s", async (name) => {
    const framing = framings[name];
    const events = [1, 2, 3].map((sequence_no) => JSON.stringify({ ...asha, sequence_no }));
    const text = `${framing.open ?? ""}${events.map(framing.frame).join("")}${framing.close ?? ""}`;
    for (const size of [text.length * 4, 7, 1]) {
      const pieces = new KeptPieces();
      const body = piecesOf({ status: 200, headers: {}, body: text }, new AbortController().signal);
      for await (const piece of cut(body, size)) pieces.add(piece);
      pieces.end();
      expect(pieces.kept.join("").length).toBe(text.length);
      const shown = pieces.kept.map((piece) => showPiece(piece, false)).join("\n");
      expect(shown).not.toMatch(personal);
      expect(pieces.kept.map((piece) => showPiece(piece, true)).join("")).toBe(pieces.kept.join(""));
    }
  });

  it("shows what an event is, and the lines that hold no data", () => {
    expect(showPiece('data: {"event":"response_output","text":"ASHA"}\n\n', false)).toBe(
      'data: {"event":"response_output","text":"[4 characters]"}',
    );
    expect(showPiece("id: 3\nevent: message\ndata: {}\n\n", false)).toBe("id: 3\nevent: message\ndata: {}");
    expect(showPiece(": keep-alive\n\n", false)).toBe(": keep-alive");
    expect(showPiece("data: [DONE]\n\n", false)).toBe("data: [DONE]");
    expect(showPiece(": ASHA\n", false)).toBe("[6 characters]");
    expect(showPiece('{"name":"ASHA', false)).toBe("[13 characters]");
    expect(showPiece('data: {"name":"ASHA\n\n', false)).toBe("data: [13 characters]");
  });

  it.each([
    ["a long string", { a: "x".repeat(5_000_000) }],
    ["a long name", { ["x".repeat(5_000_000)]: 1 }],
    ["many strings", Array.from({ length: 10_000 }, () => "x".repeat(100))],
    ["many numbers", Array.from({ length: 1_000_000 }, (_, i) => i)],
    ["many fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]))],
    ["many lists", Array.from({ length: 100_000 }, () => [[[]]])],
    ["depth", JSON.parse("[".repeat(100_000) + "]".repeat(100_000))],
  ])("shows no more of %s than a person reads", (_, value) => {
    for (const personal of [false, true]) expect(showJson(value, personal).length).toBeLessThanOrEqual(50_000);
  });

  it("says what was cut, and leaves a name `__proto__` a field like any other", () => {
    expect(cutText("abcdef", 3)).toBe("abc… (6 characters)");
    expect(showJson({ a: "x".repeat(3_000) }, true)).toContain("x… (3000 characters)");
    expect(showJson(Array(20_000).fill(1), true)).toMatch(/^\[\d+ characters\]$/);
    expect(showJson(JSON.parse('{"__proto__":{"a":1}}'), true)).toBe('{\n  "__proto__": {\n    "a": 1\n  }\n}');
  });

  it("keeps the first pieces of a stream", () => {
    const pieces = new KeptPieces();
    for (let count = 0; count < 100_000; count++) pieces.add(new TextEncoder().encode(`data: ${count}\n\n`));
    expect(pieces.kept).toHaveLength(401);
    expect(pieces.kept[0]).toBe("data: 0\n\n");
    expect(pieces.kept.at(-1)).toBe("… 99600 more");
    const large = new KeptPieces();
    for (let count = 0; count < 100; count++) large.add(new Uint8Array(1_000_000).fill(120));
    expect(large.kept.join("").length).toBeLessThan(50_000);
  });
});
