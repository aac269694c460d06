import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  hmac,
  isKnownWebhookEvent,
  memoryStore,
  type PayoutFailed,
  type PayoutSucceeded,
  sign,
  type UnknownWebhookEvent,
  type WebhookEvent,
  WebhookPayloadError,
  Webhooks,
} from "../../../src/webhooks/index.ts";
import { eventOf, receiver } from "../support.ts";

const sample = (name: string) => readFileSync(`src/emulator/samples/webhook/events/${name}.json`, "utf8");
const webhooks = new Webhooks();
const refusalOf = (body: string | Uint8Array, subject = webhooks): WebhookPayloadError => {
  try {
    subject.parse(body);
  } catch (error) {
    if (WebhookPayloadError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("it was accepted");
};
const event = (changes: Record<string, unknown> = {}) =>
  JSON.stringify({ ...JSON.parse(sample("success")), ...changes });

describe("§6.2 events", () => {
  it.each(["constructor", "toString", "__proto__"])("treats the status %s as unknown", (status) => {
    expect(webhooks.parse(event({ status })).status).toBe(status);
    expect(isKnownWebhookEvent(webhooks.parse(event({ status })))).toBe(false);
  });

  it.each(["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"])("knows the status %s", (status) => {
    expect(isKnownWebhookEvent(webhooks.parse(JSON.stringify(eventOf(status))))).toBe(true);
  });

  it.each(["success", "failed", "duplicate", "rejected", "success-extra-fields", "rejected-other-code"])(
    "reads the sample %s and changes nothing in it",
    (name) => {
      expect(webhooks.parse(sample(name))).toEqual(JSON.parse(sample(name)));
    },
  );

  it("reads bytes as well as text", () => {
    expect(webhooks.parse(new TextEncoder().encode(sample("success")))).toEqual(JSON.parse(sample("success")));
  });

  it("is a union discriminated by status, in which an unknown status never narrows to a known one", () => {
    const check = (value: WebhookEvent) => {
      if (value.status === "SUCCESS") expectTypeOf(value).toExtend<PayoutSucceeded>();
      else if (value.status === "FAILED") expectTypeOf(value).toExtend<PayoutFailed>();
      else if (value.status !== "DUPLICATE" && value.status !== "REJECTED") {
        expectTypeOf(value).toExtend<UnknownWebhookEvent>();
      }
      return value.status;
    };
    expect(check(webhooks.parse(sample("unknown-status")))).not.toMatch(/^(SUCCESS|FAILED|DUPLICATE|REJECTED)$/);
  });
});

describe("required fields", () => {
  it.each([
    ["SUCCESS", ["client_referenceId", "transactionId", "txn_amount", "utr"]],
    ["FAILED", ["client_referenceId", "transactionId", "txn_amount"]],
    ["DUPLICATE", ["client_referenceId"]],
    ["REJECTED", ["client_referenceId"]],
    ["SOMETHING_NEW", ["client_referenceId"]],
  ])("%s needs %j, each by name", (status, fields) => {
    expect(webhooks.parse(JSON.stringify(eventOf(status)))).toBeDefined();
    for (const field of fields) {
      for (const absent of [undefined, null, ""]) {
        const refusal = refusalOf(JSON.stringify(eventOf(status, { [field]: absent })));
        expect(refusal.reason).toBe("missingField");
        expect(refusal.issues).toEqual([{ path: [field], code: "missing", message: "is missing" }]);
      }
    }
  });

  it.each([
    ["SUCCESS", { utr: "  " }],
    ["SUCCESS", { utr: "NA" }],
    ["SUCCESS", { utr: "000000000000" }],
    ["SUCCESS", { transactionId: " " }],
    ["FAILED", { transactionId: "\t" }],
  ])("%s with %j lacks what it needs", async (status, changes) => {
    const { statusOf, ran, told } = receiver();
    expect([await statusOf(eventOf(status, changes)), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([
      { hook: "refused", error: { reason: "missingField", issues: [{ path: Object.keys(changes), code: "missing" }] } },
    ]);
  });

  it("keeps the amount of an event that needs none as it was sent, and its type says so", async () => {
    for (const txn_amount of [1500.5, "1500.50", null]) {
      const event = webhooks.parse(JSON.stringify(eventOf("REJECTED", { txn_amount })));
      expectTypeOf(event.txn_amount).toEqualTypeOf<number | string | null | undefined>();
      expect(event.txn_amount).toBe(txn_amount);
    }
  });

  it("needs a status", () => {
    expect(refusalOf(event({ status: undefined })).issues[0]?.path).toEqual(["status"]);
  });

  it.each([
    ["txn_amount", "1500.50"],
    ["transactionId", 7],
    ["utr", { a: 1 }],
    ["status", 200],
    ["client_referenceId", 12],
  ])("refuses %s of another type, and never converts it", (field, value) => {
    expect(refusalOf(event({ [field]: value })).reason).toBe("wrongType");
  });

  it("refuses an amount that JSON can write and no ledger can hold", () => {
    expect(refusalOf(sample("success").replace(/"txn_amount":\s*[\d.]+/, '"txn_amount": 1e999')).reason).toBe(
      "wrongType",
    );
  });

  it("requires every field of §6.2 if requiredFields says so", () => {
    const strict = new Webhooks({ requiredFields: "all" });
    expect(strict.parse(sample("success"))).toBeDefined();
    for (const field of ["statusCode", "acknowledged", "description"]) {
      expect(refusalOf(event({ [field]: undefined }), strict).issues[0]?.path).toEqual([field]);
      expect(webhooks.parse(event({ [field]: undefined }))).toBeDefined();
    }
    expect(strict.parse(sample("failed"))).toBeDefined(); // §6.2: no utr, no acknowledged
  });

  it.each([
    ["SUCCESS", { statusCode: "400" }, "statusCode"],
    ["SUCCESS", { statusCode: " 503 " }, "statusCode"],
    ["success", { statusCode: "404" }, "statusCode"],
    ["SUCCESS", { statusCode: "0400" }, "statusCode"],
    ["SUCCESS", { statusCode: "E400" }, "statusCode"],
    ["SUCCESS", { statusCode: "400 Bad Request" }, "statusCode"],
    ["SUCCESS", { statusCode: "FAILED" }, "statusCode"],
    ["SUCCESS", { statusCode: "REJECTED" }, "statusCode"],
    ["SUCCESS", { statusCode: "DECLINED" }, "statusCode"],
    ["SUCCESS", { statusCode: "UNSUCCESSFUL" }, "statusCode"],
    ["SUCCESS", { statusCode: "NOT PAID" }, "statusCode"],
    ["SUCCESS", { statusCode: "BLOCKED" }, "statusCode"],
    ["SUCCESS", { statusCode: "200, 400" }, "statusCode"],
    ["SUCCESS", { status_code: "400" }, "status_code"],
    ["SUCCESS", { status_code: 422 }, "status_code"],
    ["FAILED", { status_code: "200" }, "status_code"],
    ["REJECTED", { status_code: ["200"] }, "status_code"],
    ["FAILED", { statusCode: "PAID" }, "statusCode"],
    ["FAILED", { statusCode: "txn_completed" }, "statusCode"],
    ["FAILED", { statusCode: "200 OK" }, "statusCode"],
    ["FAILED", { statusCode: "SUCCESS" }, "statusCode"],
    ["FAILED", { statusCode: "200" }, "statusCode"],
    ["FAILED", { utr: "412345678901" }, "utr"],
    ["FAILED", { utr: 412345678901 }, "utr"],
    ["FAILED", { utr: ["U1"] }, "utr"],
    ["FAILED", { utr: { id: "U1" } }, "utr"],
    ["FAILED", { utr: "ABCDEF" }, "utr"],
    ["FAILED", { utr: 1e300 }, "utr"],
    ["REJECTED", { statusCode: "202" }, "statusCode"],
    ["REJECTED", { utr: "AXIS1" }, "utr"],
  ])(
    "%s with %j contradicts whether money moved: refused, whatever fields are required",
    async (status, changes, path) => {
      const body = JSON.stringify(eventOf(status.toUpperCase(), { status, ...changes }));
      for (const requiredFields of ["essential", "all"] as const) {
        const refusal = refusalOf(body, new Webhooks({ requiredFields }));
        expect([refusal.reason, refusal.issues.map((issue) => issue.path)]).toEqual(["invalidValue", [[path]]]);
        expect(refusal.clientReferenceId).toBe("demo-po-1");
      }
      const { statusOf, ran, told } = receiver();
      expect([await statusOf(JSON.parse(body)), ran]).toEqual(["FAILED", []]);
      expect(told).toMatchObject([{ hook: "refused", error: { reason: "invalidValue" } }]);
    },
  );

  it.each([
    ["SUCCESS", ["400"]],
    ["SUCCESS", { code: "400" }],
    ["SUCCESS", []],
    ["SUCCESS", false],
    ["FAILED", ["200"]],
    ["REJECTED", { code: 200 }],
  ])("%s with a `statusCode` of %j contradicts it", async (status, statusCode) => {
    const { statusOf, ran, told } = receiver();
    expect([await statusOf(eventOf(status, { statusCode })), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([{ hook: "refused", error: { reason: "invalidValue" } }]);
    expect(await statusOf(eventOf(status, { statusCode: { SUCCESS: 200 }[status] ?? 400 }))).toBe("SUCCESS");
  });

  it.each([
    ["SUCCESS", { acknowledged: "0" }, ["acknowledged"]],
    ["SUCCESS", { statusCode: "102" }, ["statusCode"]],
    ["SUCCESS", { status_code: "00" }, ["status_code"]],
    ["FAILED", { status_code: "E400" }, ["status_code"]],
    ["SUCCESS", { statusCode: "208" }, ["statusCode"]],
    ["FAILED", { statusCode: "E400" }, ["statusCode"]],
    ["SUCCESS", { statusCode: "00" }, ["statusCode"]],
    ["SUCCESS", { statusCode: "1001" }, ["statusCode"]],
    ["SUCCESS", { statusCode: " 200 OK" }, ["statusCode"]],
    ["SUCCESS", { statusCode: "TXN_SUCCESS" }, ["statusCode"]],
    ["FAILED", { statusCode: "INSUFFICIENT_FUNDS" }, ["statusCode"]],
    ["FAILED", { statusCode: "TOKEN_UNPAID" }, ["statusCode"]],
    ["FAILED", { statusCode: "UNSUCCESSFUL" }, ["statusCode"]],
    ["FAILED", { utr: "NA" }, ["utr"]],
    ["FAILED", { utr: " n/a " }, ["utr"]],
    ["FAILED", { utr: "000000000000" }, ["utr"]],
    ["FAILED", { utr: "--" }, ["utr"]],
    ["FAILED", { acknowledged: "1" }, ["acknowledged"]],
    ["REJECTED", { statusCode: "400" }, ["statusCode"]],
    ["DUPLICATE", { statusCode: "200" }, ["statusCode"]],
    ["success", { statusCode: "299" }, ["statusCode"]],
  ])("%s with %j is only unusual: refused with requiredFields: all, a warning without", (status, changes, path) => {
    const body = JSON.stringify(eventOf(status.toUpperCase(), { status, ...changes }));
    const refusal = refusalOf(body, new Webhooks({ requiredFields: "all" }));
    expect([refusal.reason, refusal.issues.map((issue) => issue.path)]).toEqual(["invalidValue", [path]]);
    expect(refusal.clientReferenceId).toBe("demo-po-1");
    expect(webhooks.parse(body).client_referenceId).toBe("demo-po-1");
  });

  it.each(["SUCCESS", "FAILED", "DUPLICATE", "REJECTED", "REVERSED"])(
    "refuses an amount of %s that is not positive",
    (status) => {
      for (const txn_amount of [0, -0, -0.01, -8500]) {
        const refusal = refusalOf(JSON.stringify(eventOf(status, { txn_amount })));
        expect([refusal.reason, refusal.issues[0]?.code]).toEqual(["invalidValue", "not_positive"]);
        expect(refusal.issues[0]?.path).toEqual(["txn_amount"]);
      }
    },
  );

  it("names the reference of an event that it refuses for its fields", () => {
    expect(refusalOf(JSON.stringify(eventOf("SUCCESS", { utr: undefined }))).clientReferenceId).toBe("demo-po-1");
    expect(refusalOf(JSON.stringify(eventOf("SUCCESS", { txn_amount: "1" }))).clientReferenceId).toBe("demo-po-1");
  });

  it.each([
    ["success", "SUCCESS"],
    ["Failed", "FAILED"],
    ["REJECTED", "REJECTED"],
    ["ſuccess", "ſuccess"],
    ["ſUCCEſS", "ſUCCEſS"],
    ["succesſ", "succesſ"],
    [" SUCCESS", " SUCCESS"],
    ["settled", "settled"],
  ])("reads the status %j as %j", (status, read) => {
    expect(webhooks.parse(JSON.stringify(eventOf(status.toUpperCase(), { status }))).status).toBe(read);
  });

  it.each(["   ", " a", "a ", "a\n", "a\u00a0", "\ufeffa", "x".repeat(1_025), "\ud800"])(
    "refuses the reference %j, which a store or a look-up could confuse with another",
    (reference) => {
      expect(refusalOf(event({ client_referenceId: reference })).reason).toBe("wrongType");
    },
  );
});

describe("bodies", () => {
  it.each([
    ["empty", ""],
    ["empty", " \n"],
    ["notJson", "{"],
    ["notJson", "status=SUCCESS"],
    ["notJson", `\ufeff\ufeff${event()}`],
    ["empty", "\ufeff"],
    ["notObject", "[]"],
    ["notObject", "null"],
    ["notObject", '"SUCCESS"'],
    ["forbiddenKey", '{"__proto__":{"admin":true}}'],
    ["forbiddenKey", '{"a":[{"constructor":1}]}'],
    ["forbiddenKey", '{"\\u005f_proto__":1}'],
    ["forbiddenKey", '{"prototype":1}'],
    ["repeatedName", event().replace("{", '{"txn_amount": 1,')],
    ["repeatedName", event().replace("{", '{"status":"FAILED",')],
    ["repeatedName", event().replace("{", '{"txn_amount" :1,')],
    ["repeatedName", event().replace("{", '{"status"\n: "FAILED",')],
    ["repeatedName", event({ description: "11:30" }).replace("{", '{"status" : "FAILED",')],
    ["repeatedName", event().replace("{", '{"a":[{"b":1,"\\u0062":2}],')],
  ])("refuses as %s: %j", (reason, body) => {
    const refusal = refusalOf(body);
    expect(refusal.reason).toBe(reason);
    expect(refusal.outcome).toBe("rejected");
  });

  it("may have what looks like a name in a value", () => {
    const description = 'not a name":, and "quoted": neither';
    expect(webhooks.parse(event({ description })).description).toBe(description);
    expect(webhooks.parse(event().replaceAll('":', '" :')).status).toBe("SUCCESS");
    expect(webhooks.parse(event({ description: "at 11:30" })).status).toBe("SUCCESS");
  });

  it("may begin with a byte order mark, which the signature covers", async () => {
    for (const body of [`\ufeff${event()}`, new TextEncoder().encode(`\ufeff${event()}`)]) {
      expect(webhooks.parse(body)).toEqual(webhooks.parse(event()));
    }
    const check = hmac({ header: "x-s", secrets: ["s3cret"] });
    const { headers, body } = await sign(`\ufeff${event()}`, check);
    await expect(new Webhooks({ auth: [check] }).verify({ headers, body })).resolves.toEqual(webhooks.parse(event()));
  });

  it("refuses bytes that are not UTF-8, a compressed body among them", () => {
    expect(refusalOf(Uint8Array.of(0x1f, 0x8b, 0x08, 0x00)).reason).toBe("badEncoding");
    expect(refusalOf(new TextEncoder().encode(`\ufeff\ufeff${event()}`)).reason).toBe("notJson");
  });

  it("never quotes the body in a message", () => {
    for (const body of ['{"secret-4711', '"secret-4711"', event({ txn_amount: "secret-4711" })]) {
      expect(refusalOf(body).message).not.toContain("4711");
    }
  });
});

describe("the warnings of an event that is accepted", () => {
  const warningsOf = async (given: Record<string, unknown>) => {
    const warnings: unknown[] = [];
    const handlers = { SUCCESS() {}, FAILED: collect, REJECTED: collect };
    function collect(_: unknown, context: { readonly warnings: readonly unknown[] }) {
      warnings.push(...context.warnings);
    }
    await new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" }).process(given, handlers);
    return warnings;
  };

  it("are none for fields that it does not need", async () => {
    expect(await warningsOf({ status: "REJECTED", client_referenceId: "demo-po-1" })).toEqual([]);
  });

  it("name each field that contradicts the status, once", async () => {
    expect(await warningsOf(eventOf("FAILED", { acknowledged: "0", utr: "NA" }))).toEqual([
      { path: ["acknowledged"], code: "unexpected_value", message: "should be absent for FAILED" },
      { path: ["utr"], code: "unexpected_value", message: "should be absent for FAILED" },
    ]);
  });

  it("name a field whatever is in it", async () => {
    const strange = { toString: 1 };
    const warnings = await warningsOf(eventOf("FAILED", { acknowledged: strange }));
    expect(warnings).toContainEqual({
      ...{ path: ["acknowledged"], code: "unexpected_value", message: "should be absent for FAILED" },
    });
  });

  it("are none of an amount that no JSON can write: that is refused", async () => {
    await expect(warningsOf(eventOf("FAILED", { txn_amount: Number.NaN }))).rejects.toMatchObject({
      issues: [{ path: ["txn_amount"], code: "invalid_type", message: "must be a number" }],
    });
  });
});

describe("§6.3 acknowledgement", () => {
  const acks = JSON.parse(readFileSync("src/emulator/samples/webhook/acks.json", "utf8"));
  const reference = { client_referenceId: acks.processed.client_referenceId };

  it.each([
    ["SUCCESS", acks.processed],
    ["FAILED", acks.failed_internally],
    ["DUPLICATE", acks.duplicate],
  ] as const)("responds to %s with exactly the documented body", (result, body) => {
    expect(JSON.stringify(webhooks.acknowledge(reference, result))).toBe(JSON.stringify(body));
  });
});

describe("options", () => {
  it("can be left out", () => {
    expect(() => new Webhooks()).not.toThrow();
  });

  it.each([
    [{ autht: "none" }, /unknown option "autht"/],
    [{ ackTimeout: 8_000 }, /`ackTimeout` must be an integer between 1 and 7000/],
    [{ maxBodyBytes: 0 }, /`maxBodyBytes`/],
    [{ redeliverBy: "carrier pigeon" }, /`redeliverBy` must be "failed" or "http500"/],
    [{ workTimeout: 13_000 }, /`claimLease` must be at least `workTimeout`/],
  ])("refuses %j", (options, message) => {
    expect(() => new Webhooks(options as never)).toThrow(message);
  });
});
