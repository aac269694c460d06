import { describe, expect, it } from "vitest";
import { ConfigurationError, checkAcknowledgement, memoryStore, Webhooks } from "../../src/webhooks/index.ts";
import { ackOf, noWork } from "./support.ts";

const processed = ackOf("SUCCESS", "po-1");
const check = (changes: object, status = 200) =>
  checkAcknowledgement({ status, body: JSON.stringify({ ...processed, ...changes }) }, "po-1");
const codesOf = (changes: object, status?: number) => check(changes, status).problems.map(({ code }) => code);

describe("an acknowledgement (§6.3)", () => {
  it("is right for SUCCESS and DUPLICATE, with all five fields", () => {
    expect(check({})).toEqual({ ok: true, status: "SUCCESS", problems: [] });
    expect(check({ status: "DUPLICATE", statusCode: "208" })).toEqual({ ok: true, status: "DUPLICATE", problems: [] });
  });

  it("does not end the retries when it says FAILED", () => {
    const failed = { ok: false, status: "FAILED", problems: [{ code: "failed" }] };
    expect(check({ status: "FAILED", statusCode: "400" })).toMatchObject(failed);
  });

  it.each([
    [{ http_status: "true" }, ["wrongHttpStatusField"]],
    [{ http_status: undefined }, ["wrongHttpStatusField"]],
    [{ status: "success" }, ["unknownStatus"]],
    [{ status: "toString" }, ["unknownStatus"]],
    [{ status: undefined }, ["unknownStatus"]],
    [{ statusCode: 200 }, ["wrongStatusCode"]],
    [{ statusCode: "400" }, ["wrongStatusCode"]],
    [{ statusCode: undefined }, ["wrongStatusCode"]],
    [{ client_referenceId: "PO-1" }, ["referenceNotEchoed"]],
    [{ client_referenceId: undefined }, ["referenceNotEchoed"]],
    [{ acknowledged: 1 }, ["wrongAcknowledged"]],
    [{ acknowledged: undefined }, ["wrongAcknowledged"]],
    [{ client_referenceId: "x", acknowledged: 0 }, ["referenceNotEchoed", "wrongAcknowledged"]],
  ])("is wrong with %j", (changes, codes) => {
    expect(codesOf(changes)).toEqual(codes);
    expect(check(changes).ok).toBe(false);
  });

  it("is wrong with a reference of digits that is written as a number", () => {
    const reference = "12345678901234567";
    const body = new Webhooks().acknowledge({ client_referenceId: reference }, "SUCCESS");
    const numeric = JSON.stringify(body).replace(`"${reference}"`, reference);
    expect(checkAcknowledgement({ status: 200, body: JSON.stringify(body) }, reference).ok).toBe(true);
    const { problems } = checkAcknowledgement({ status: 200, body: numeric }, reference);
    expect(problems.map(({ code }) => code)).toEqual(["referenceNotEchoed"]);
  });

  it.each([201, 204, 302, 500])("is wrong under HTTP %i", (status) => {
    expect(codesOf({}, status)).toEqual(["httpStatus"]);
  });

  it.each(["", "OK", "[]", "null", '"SUCCESS"'])("is wrong with the body %j", (body) => {
    const report = checkAcknowledgement({ status: 200, body }, "po-1");
    expect(report).toMatchObject({ ok: false, status: undefined, problems: [{ code: "notJson" }] });
  });

  it("is what acknowledge() returns, and a receiver sends", async () => {
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    for (const status of ["SUCCESS", "DUPLICATE"] as const) {
      const body = JSON.stringify(webhooks.acknowledge({ client_referenceId: "po-1" }, status));
      expect(checkAcknowledgement({ status: 200, body }, "po-1").ok).toBe(true);
    }
    const handler = webhooks.handler(noWork);
    const event = { status: "DUPLICATE", client_referenceId: "po-1" };
    const answer = await handler.receive({ headers: {}, body: JSON.stringify(event) });
    expect(checkAcknowledgement({ status: answer.status, body: answer.body }, "po-1").ok).toBe(true);
  });

  it.each([[Response.json(processed)], [{ status: 200 }], [{ status: "200", body: "" }], [undefined]])(
    "cannot be checked in %o",
    (response) => {
      expect(() => checkAcknowledgement(response as never, "po-1")).toThrow(ConfigurationError);
      expect(() => checkAcknowledgement({ status: 200, body: "{}" }, undefined as never)).toThrow(ConfigurationError);
    },
  );
});
