import { describe, expect, it } from "vitest";
import type { AiEvent } from "../../../src/ai/types.ts";
import {
  type ClientEvent,
  type ClientOptions,
  ResponseValidationError,
  StreamFailedError,
} from "../../../src/index.ts";
import { clientOf, errorOf } from "../../support/client.ts";
import { collect } from "../../support/collect.ts";
import { chunk, completed, initiated, sseBody } from "../events.ts";
import { framings, sample, streamOfBody } from "../support.ts";

async function read(
  events: readonly AiEvent[],
  validation: "essential" | "strict" | "off" = "essential",
  context_token?: string,
) {
  const reported: ClientEvent[] = [];
  const fetch = async () => new Response(sseBody(events), { headers: { "content-type": "text/event-stream" } });
  const onEvent = (event: ClientEvent) => reported.push(event);
  const api = clientOf({ url: "https://service.example" }, { validation: { response: validation }, onEvent, fetch });
  const stream = api.ai.stream({ user: { text: "Hello" }, context_token });
  expect(await collect(stream)).toEqual(events);
  expect(stream.state).toBe("completed");
  const drift = reported.flatMap((event) => (event.type === "drift" ? event.paths : []));
  return { stream, codes: stream.warnings.map(({ code }) => code), drift };
}

describe("the warnings of a stream", () => {
  const withMessage = (...codes: readonly unknown[]) =>
    codes.map((status_code, i) => ({ ...chunk(i + 1), status_code }) as AiEvent);

  it("name the event, and each place once", async () => {
    const events = [
      initiated({ message: 1 } as object),
      ...withMessage(206, 206),
      completed("1 2 ", { message: 2 } as object),
    ];
    const { stream, drift } = await read(events);
    const places = ["response_initiated.message", "response_output.status_code", "response_completed.message"];
    expect(drift).toEqual(places);
    expect(stream.warnings.map(({ path }) => path.join("."))).toEqual(places);
  });

  it("are at most 50 of the order, which leave room for those of the events", async () => {
    const gaps = Array.from({ length: 120 }, (_, i) => ({ ...chunk(2 * i), status_code: 206 }) as unknown as AiEvent);
    const { stream } = await read([initiated(), ...gaps, { ...completed("text"), status_code: 1 } as never]);
    const codes = stream.warnings.map(({ code }) => code);
    expect(codes.filter((code) => code === "sequence_gap")).toHaveLength(50);
    expect(stream.warnings[0]).toMatchObject({ path: ["response_output", "status_code"] });
    expect(stream.warnings.at(-1)).toMatchObject({ path: ["response_completed", "status_code"] });
  });

  it("do not change a list that was read before", async () => {
    const parts = [initiated(), initiated(), chunk(1), completed("1 ")].map((event) => sseBody([event]));
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    void (async () => {
      for (const part of parts) await part.pipeTo(writable, { preventClose: true });
    })();
    const stream = streamOfBody(readable);
    const before = [];
    for await (const _event of stream) before.push(stream.warnings);
    expect(before[0]).toEqual([]);
    expect(stream.warnings.map(({ code }) => code)).toEqual(["initiated_repeated"]);
  });
});

describe("an unlisted status of a complete response", () => {
  const completedAs = (status: unknown) => completed("1 ", { status } as object);
  const wholeAs = (status: unknown) => {
    const { event: _, ...body } = completedAs(status);
    return clientOf({ url: "https://service.example" }, { fetch: async () => Response.json(body) });
  };

  it.each(["PARTIAL", "", 200, null])("is one warning, of a stream as of a whole response: %j", async (status) => {
    const whole = await wholeAs(status)
      .ai.createResponse({ user: { text: "Hello" } })
      .withResponse();
    expect(whole.warnings).toMatchObject([{ path: ["status"] }]);
    const { stream, drift } = await read([initiated(), chunk(1), completedAs(status)]);
    const expected = whole.warnings.map((issue) => ({ ...issue, path: ["response_completed", "status"] }));
    expect(stream.warnings).toEqual(expected);
    expect(drift).toEqual(["response_completed.status"]);
    const inPlaceOfStream = wholeAs(status).ai.stream({ user: { text: "Hello" } });
    await collect(inPlaceOfStream);
    expect(inPlaceOfStream.warnings).toEqual(expected);
  });

  it("is not refused by a strict check, and not looked for without one", async () => {
    const events = [initiated(), chunk(1), completedAs("PARTIAL")];
    expect((await read(events, "strict")).codes).toEqual(["unexpected_status"]);
    expect((await read(events, "off")).codes).toEqual([]);
  });
});

describe("the order of events (§6.1): one response_initiated, outputs, one response_completed", () => {
  const unknown = { event: "response_heartbeat" } as const;
  const whole = [chunk(1, "one "), chunk(2, "two"), completed("one two")];
  const [one, ...rest] = whole as [AiEvent, ...AiEvent[]];

  it.each<[string, AiEvent[]]>([
    ["as it should be", [initiated(), ...whole]],
    ["without outputs", [initiated(), completed("one two")]],
    ["with unknown events anywhere", [unknown, initiated(), unknown, ...whole]],
  ])("%s there is no warning", async (_name, events) => {
    expect(await read(events)).toMatchObject({ codes: [], drift: [] });
  });

  it.each<[string, AiEvent[], string, string]>([
    ["no response_initiated", whole, "initiated_missing", "response_completed.event"],
    ["nothing but response_completed", rest.slice(-1), "initiated_missing", "response_completed.event"],
    ["two", [initiated(), initiated(), ...whole], "initiated_repeated", "response_initiated.event"],
    [
      "a second one after an output",
      [initiated(), one, initiated(), ...rest],
      "initiated_repeated",
      "response_initiated.event",
    ],
    ["one after an output", [one, initiated(), ...rest], "initiated_late", "response_initiated.event"],
    [
      "another context_token at the end",
      [initiated({ context_token: "svc_other" }), ...whole],
      "context_token_changed",
      "response_completed.context_token",
    ],
  ])("%s is a warning, and breaks nothing", async (_name, events, code, path) => {
    const { stream, codes, drift } = await read(events);
    expect(codes).toEqual([code]);
    expect(drift).toEqual([path]);
    expect(stream.contextToken).toBe("svc_1");
    expect(JSON.stringify(stream.warnings)).not.toContain("svc_");
    expect((await read(events, "strict")).codes).toEqual([code]);
    expect((await read(events, "off")).codes).toEqual([]);
  });

  it("says nothing of a token that the first event did not have", async () => {
    const { codes, drift } = await read([initiated({ context_token: undefined } as object), ...whole]);
    expect(codes).toHaveLength(1);
    expect(drift).toEqual(["response_initiated.context_token"]);
  });

  it("one whole response in place of a stream has no warning", async () => {
    const body = sample<object>("stream-answered-as-one-body.json");
    const stream = streamOfBody(JSON.stringify(body), {}, {}, "application/json");
    expect(await collect(stream)).toEqual([{ ...body, event: "response_completed" }]);
    expect(stream.warnings).toEqual([]);
  });

  it("names outside the data count as well", async () => {
    const { encode } = framings["SSE with names, ids and data of several lines"];
    const nameless = whole.map(({ event: _, ...fields }) => fields);
    const text = encode(whole).replace(/data: {2}"event": "\w+",\n/g, "");
    expect(text).not.toContain('"event"');
    const stream = streamOfBody(text);
    expect(await collect(stream)).toMatchObject(nameless);
    expect(stream.warnings).toMatchObject([{ code: "initiated_missing" }]);
  });
});

describe("a response that does not continue the conversation that was sent (§2.3 parent_context_token)", () => {
  const events = (atStart: string | null, atEnd = atStart) => [
    initiated({ parent_context_token: atStart }),
    chunk(1, "Hello"),
    completed("Hello", { parent_context_token: atEnd }),
  ];

  it.each<[string, string | undefined, AiEvent[], string]>([
    ["it forgot it", "svc_sent", events(null), "response_initiated.parent_context_token"],
    ["it continues another one", "svc_sent", events("svc_else"), "response_initiated.parent_context_token"],
    ["it says so at the end", "svc_sent", events("svc_sent", null), "response_completed.parent_context_token"],
    ["none was sent", undefined, events("svc_else"), "response_initiated.parent_context_token"],
  ])("is a warning, once: %s", async (_case, sent, received, path) => {
    const { stream, codes, drift } = await read(received, "essential", sent);
    expect(codes).toEqual(["parent_token_mismatch"]);
    expect(drift).toEqual([path]);
    expect(JSON.stringify(stream.warnings)).not.toContain("svc_");
    expect((await read(received, "off", sent)).codes).toEqual([]);
  });

  it.each<[string, string | undefined, AiEvent[], string]>([
    ["at its start", "svc_sent", events("svc_else"), ""],
    ["at its end", "svc_sent", events("svc_sent", null), "Hello"],
    ["though none was sent", undefined, events("svc_else"), ""],
  ])(
    "is refused by a strict check, %s, as a whole response is",
    async (_case, context_token, received, partialText) => {
      const { event: _, ...whole } = received.at(-1) as AiEvent;
      const fetch: ClientOptions["fetch"] = async (_url, init) =>
        JSON.parse(String(init?.body)).stream ? new Response(sseBody(received)) : Response.json(whole);
      const options = { fetch, validation: { response: "strict" } } as const;
      const { ai } = clientOf({ url: "https://service.example" }, options);
      const error = await errorOf(
        ai.createResponse({ user: { text: "Hello" }, context_token }),
        ResponseValidationError,
      );
      expect(error.issues).toMatchObject([{ code: "parent_token_mismatch" }]);
      const stream = ai.stream({ user: { text: "Hello" }, context_token });
      const broken = await errorOf(stream.finalText(), StreamFailedError);
      expect(broken).toMatchObject({ reason: "damagedEvent", outcome: "unknown", partialText });
      expect(broken.message).toMatch(
        /, the response belongs to another conversation: parent_context_token (is not|does not repeat) the context_token that was sent\./,
      );
      expect(stream.state).toBe("failed");
    },
  );

  it("is one too if it came whole in place of a stream, and if the token was sent by `extraBody`", async () => {
    const { event: _, ...body } = completed("Hello");
    const api = clientOf({ url: "https://service.example" }, { fetch: async () => Response.json(body) });
    const stream = api.ai.stream({ user: { text: "Hello" } }, { extraBody: { context_token: "svc_sent" } });
    await collect(stream);
    expect(stream.warnings).toMatchObject([{ code: "parent_token_mismatch" }]);
  });

  it("one that continues it is not", async () => {
    expect((await read(events("svc_sent"), "essential", "svc_sent")).codes).toEqual([]);
    expect((await read(events(null))).codes).toEqual([]);
  });
});

describe("parts of another message (§2.3 system.msg_id)", () => {
  const message = (msg_id: string, text: string) => ({ msg_id, text });
  const other = { ...chunk(2, "two"), system: { msg_id: "msg_2", text_chunk: "two" } };

  it.each<[string, AiEvent[], string[], string[]]>([
    [
      "a chunk",
      [chunk(1, "one "), other, other, completed("one two")],
      ["msg_id_changed", "sequence_duplicate"],
      ["response_output.system.msg_id"],
    ],
    [
      "the completed text",
      [chunk(1, "one"), completed("one", { system: message("msg_2", "one") })],
      ["msg_id_changed"],
      ["response_completed.system.msg_id"],
    ],
    [
      "both",
      [chunk(1, "one "), other, completed("one two", { system: message("msg_3", "one two") })],
      ["msg_id_changed", "msg_id_changed"],
      ["response_output.system.msg_id", "response_completed.system.msg_id"],
    ],
    ["no chunk", [completed("one", { system: message("msg_9", "one") })], [], []],
  ])("are warnings: %s", async (_case, rest, expected, paths) => {
    const events = [initiated(), ...rest];
    const stream = streamOfBody(sseBody(events));
    await collect(stream);
    expect(stream.warnings.map(({ code }) => code)).toEqual(expected);
    const ofMessage = stream.warnings.filter(({ code }) => code === "msg_id_changed");
    expect(ofMessage.map(({ path }) => path.join("."))).toEqual(paths);
  });

  it.each([
    ["its ID", { text_chunk: "two" }],
    ["its `system`", undefined],
  ])("a chunk without %s is none", async (_case, system) => {
    const unnamed = { ...chunk(2), system } as unknown as AiEvent;
    expect((await read([initiated(), chunk(1), unnamed, completed("1 two")], "off")).codes).toEqual([]);
  });

  it("so is a completed text that is empty, although chunks with text came", async () => {
    const emptied = await read([initiated(), chunk(1, "one"), completed("")]);
    expect(emptied).toMatchObject({ codes: ["final_text_empty"], drift: ["response_completed.system.text"] });
    expect(emptied.stream.textMismatch).toBe(true);
    expect((await read([initiated(), chunk(1, ""), completed("")])).codes).toEqual([]);
    expect((await read([initiated(), completed("")])).codes).toEqual([]);
  });
});
