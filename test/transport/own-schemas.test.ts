import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  ConfigurationError,
  RequestValidationError,
  ResponseValidationError,
  ServiceUnavailableError,
} from "../../src/errors/index.ts";
import { defineOperation } from "../../src/index.ts";
import { validate } from "../../src/shared/validate.ts";
import { clientOf, failureOf, nowhere } from "../support/client.ts";
import { type Fields, made, schemaOf } from "../support/operations.ts";
import { secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers, reply } from "../support/server.ts";
import { throws } from "../support/throws.ts";

const good = { status: "SUCCESS" };

describe("accepts any Standard Schema", () => {
  it("one like those of valibot or arktype, whose issues have no code", async () => {
    const byHand = made({
      params: schemaOf<Fields>(({ n }) =>
        typeof n === "number" ? [] : [{ message: "must be a number", path: [{ key: "n" }] }],
      ),
      body: schemaOf<Fields>(({ n }) => (typeof n === "number" ? [] : [{ message: "must be a number", path: ["n"] }])),
      essential: ["n"],
    });
    const { api } = await serve((response, _request, n) => reply(response, 200, n === 1 ? { n: 1 } : {}));
    const refused = await failureOf(api.send(byHand, { n: "1" }), RequestValidationError);
    expect(refused.issues).toEqual([{ path: ["n"], message: "must be a number", code: "custom" }]);
    expect(await api.send(byHand, { n: 1 })).toEqual({ n: 1 });
    await failureOf(api.send(byHand, { n: 1 }), ResponseValidationError);
  });

  it("a schema that transforms does not change what is sent or received", async () => {
    const shouting = z.looseObject({ word: z.string().transform((word) => word.toUpperCase()) });
    const { server, api } = await serve(answers(200, { word: "quiet" }));
    const operation = defineOperation<Fields, Fields>({
      ...made(),
      params: shouting as never,
      body: shouting as never,
    });
    expect(await api.send(operation, { word: "soft" })).toEqual({ word: "quiet" });
    expect(JSON.parse(server.requests[0]?.body ?? "").word).toBe("soft");
  });

  const asynchronous = {
    "~standard": { version: 1 as const, vendor: "t", validate: async (value: unknown) => ({ value: value as Fields }) },
  };

  it("an asynchronous one is refused: for the params before anything is sent", async () => {
    const error = await failureOf(clientOf(nowhere).send(made({ params: asynchronous }), {}), ConfigurationError);
    expect(error.message).toContain("the schema is asynchronous");
    expect(error.outcome).toBe("notSent");
  });

  it("for the body it is refused too, and the message does not say that nothing was sent", async () => {
    const { api } = await serve(answers(200, good));
    const error = await failureOf(api.send(made({ body: asynchronous }), {}), ConfigurationError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1, operation: "test.made" });
  });

  it("returns the path of an issue with or without one", async () => {
    const schema = schemaOf(() => [{ message: "wrong" }, { message: "wrong", path: [] }]);
    expect(await validate(schema, {}, "op")).toEqual([
      { path: [], message: "wrong", code: "custom" },
      { path: [], message: "wrong", code: "custom" },
    ]);
  });
});

describe("a function of the caller that throws", () => {
  const boom = throws(new Error(`boom ${secret}`));
  const throwing: StandardSchemaV1<Fields> = { "~standard": { version: 1, vendor: "t", validate: boom } };

  it.each([
    ["a schema of the body", made({ body: throwing })],
    ["`isSuccess`", made({ isSuccess: boom })],
  ])(
    "%s: the call fails with one of our errors, which does not claim that nothing was sent",
    async (_case, operation) => {
      const { server, api } = await serve(answers(200, {}));
      const error = await failureOf(api.send(operation, {}), ConfigurationError);
      expect(error).toMatchObject({ outcome: "unknown", attempts: 1, operation: "test.made" });
      expect(error.message).toContain("passed to this library threw");
      expect((error.cause as Error).message).toBe("Error: boom [redacted]");
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    ["from the environment", undefined],
    ["from a function", () => secret],
    ["a string", secret],
  ])("a schema of the params, with a secret %s: nothing was sent", async (_case, clientSecret) => {
    const options = { clientSecret, headers: { authorization: secret } };
    const error = await failureOf(clientOf(nowhere, options).send(made({ params: throwing }), {}), ConfigurationError);
    expect(error).toMatchObject({
      outcome: "notSent",
      message: "A schema or function that was passed to this library threw. Nothing was sent.",
      cause: { message: "Error: boom [redacted]" },
    });
  });

  const ofAnotherCall = throws(
    new ServiceUnavailableError("unavailable", {
      message: "another call",
      attempts: 3,
      isRetryable: true,
      httpStatus: 503,
      statusCode: undefined,
      serviceMessage: undefined,
      body: undefined,
      headers: new Headers(),
    }),
  );

  it.each([
    ["a schema of the body", 200, { body: { "~standard": { version: 1, vendor: "t", validate: ofAnotherCall } } }],
    ["`isSuccess`", 200, { isSuccess: ofAnotherCall }],
    ["`isRejection`", 400, { isRejection: ofAnotherCall }],
  ] as const)("%s: an error of this library about another call is not taken for the call's", async (...row) => {
    const [, status, hooks] = row;
    const { server, api } = await serve(answers(status, {}));
    const error = await failureOf(api.send(made({ ...hooks, retry: "safe" }), {}), ConfigurationError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1, isRetryable: false, operation: "test.made" });
    expect(error.message).toContain("another call");
    expect(server.requests).toHaveLength(1);
  });
});
