import { describe, expect, it } from "vitest";
import { ResponseValidationError } from "../../src/errors/index.ts";
import { defineOperation } from "../../src/index.ts";
import { answering, failureOf, sample } from "../support/client.ts";
import { safe } from "../support/operations.ts";

/** The issues of a response to an operation without a schema, as `path: code`; nothing if it is a success. */
async function issuesOf(retry: "safe" | "never", body: object, status = 200): Promise<readonly string[]> {
  const api = answering(body, { maxRetries: 0 }, status);
  try {
    expect(await api.send(defineOperation({ name: "made.up", path: "made/up", retry }), {})).toEqual(body);
    return [];
  } catch (error) {
    if (!ResponseValidationError.isInstance(error)) throw error;
    return error.issues.map(({ path, code }) => `${path.join(".")}: ${code}`);
  }
}

describe("a look-up that no schema describes", () => {
  it.each<object>([
    ...[{}, { status: null }, { status: true }, { status: 200 }, { status: "201" }, { status: "Success" }],
    ...[
      { success: true },
      { success: null },
      { success: "12 found" },
      { success: { vpa: "a@b" } },
      { success: "10" },
      { success: "0 errors" },
    ],
    ...[{ status_text: "odd" }, { my_status: "odd" }, { successes: false }, { unsuccess: 0 }],
  ])("%j is a success", async (body) => {
    expect(await issuesOf("safe", body)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ status: "error" }, "status"],
    [{ Status: "unsuccess" }, "Status"],
    [{ status: "2011" }, "status"],
    [{ status: "success, perhaps" }, "status"],
    [{ success: false }, "success"],
    [{ success: 0 }, "success"],
    [{ success: "false" }, "success"],
    [{ SUCCESS: "0" }, "SUCCESS"],
  ])("%j is not", async (body, name) => {
    expect(await issuesOf("safe", body)).toEqual([`${name}: unexpected_status`]);
  });
});

it("a look-up of the document warns of a status that it does not know, and refuses it in no mode", async () => {
  const body = {
    ...sample("flight/fare_quote/success-domestic-oneway-full-service"),
    status: "ERROR",
    status_code: "",
  };
  for (const response of ["essential", "strict"] as const) {
    const api = answering(body, { validation: { response, request: "off" } });
    const { data, warnings } = await api.flights.fareQuote({} as never).withResponse();
    expect([data, warnings]).toEqual([
      body,
      [expect.objectContaining({ path: ["status"], code: "unexpected_status" })],
    ]);
  }
});

describe("a call that is sent once, which no schema describes", () => {
  it.each<[object, number?]>([
    [{ status: "SUCCESS" }],
    [{ status: "SUCCESS" }, 201],
    [{ success: "Y" }],
    [{ success: 1 }],
    [{ statusCode: "200" }],
    [{ status: "success", status_code: 201 }],
    [{ status: true, statusCode: "101" }],
    [{ status: "SUCCESS", statusCode: "" }],
    [{ statusCode: "", status_code: "201" }],
  ])("%j says a success", async (body, status) => {
    expect(await issuesOf("never", body, status)).toEqual([]);
  });

  it.each<[object, number, string]>([
    [{}, 200, "status: unexpected_status"],
    [{ status: null }, 200, "status: unexpected_status"],
    [{ success: null }, 200, "success: unexpected_status"],
    [{ success: "12 found" }, 200, "success: unexpected_status"],
    [{ status: "SUCCESS" }, 202, "status: unexpected_status"],
    [{ status: "SUCCESS", statusCode: "204" }, 200, "statusCode: unexpected_value"],
    [{ status: "SUCCESS", status_code: "1101" }, 200, "status_code: unexpected_value"],
    [{ status: "SUCCESS", status_code: "2010" }, 200, "status_code: unexpected_value"],
  ])("%j under HTTP %i does not", async (body, status, issue) => {
    expect(await issuesOf("never", body, status)).toEqual([issue]);
  });
});

describe("a success whose code is that of a refusal", () => {
  const warningsOf = async (status_code: unknown, validation: "essential" | "off" = "essential") => {
    const api = answering({ status: "SUCCESS", status_code }, { validation: { response: validation } });
    return (await api.send(safe, {}).withResponse()).warnings;
  };

  it.each([399, "399", 200])("is none with %j", async (code) => {
    expect(await warningsOf(code)).toEqual([]);
  });

  it.each([400, "400", "404", 500])("has a warning with %j, unless nothing is to be checked", async (code) => {
    expect(await warningsOf(code)).toEqual([
      expect.objectContaining({ path: ["status_code"], message: "is the code of a refusal, beside a success" }),
    ]);
    expect(await warningsOf(code, "off")).toEqual([]);
  });
});

it("a status that is not known, beside another difference, is refused in the strict mode", async () => {
  const { message: _, ...quote } = sample<Record<string, unknown>>(
    "flight/fare_quote/success-domestic-oneway-full-service",
  );
  const body = { ...quote, status: "ERROR", status_code: 1 };
  const api = answering(body, { validation: { response: "strict", request: "off" } });
  const error = await failureOf(api.flights.fareQuote({} as never), ResponseValidationError);
  expect(error.issues.map(({ path }) => path.join("."))).toEqual(expect.arrayContaining(["status", "status_code"]));
});
