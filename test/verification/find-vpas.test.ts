import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type ApiError,
  AuthenticationError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestInProgressError,
  RequestValidationError,
  ResponseValidationError,
} from "../../src/errors/index.ts";
import { type ClientOptions, type FindVpasParams, findVpas, type VpaResult } from "../../src/index.ts";
import { clientOf, failureOf, sample } from "../support/client.ts";
import type { Fields } from "../support/operations.ts";

const baseUrl = "https://api.example.com";
const network = setupServer();
beforeAll(() => network.listen({ onUnhandledFrame: "error" }));
afterEach(() => network.resetHandlers());
afterAll(() => network.close());

/** Responds to every call with this body, and returns the bodies of the requests. */
function answer(body: object, status = 200): Fields[] {
  const sent: Fields[] = [];
  network.use(
    http.post(`${baseUrl}/verification/upimobile_multiple`, async ({ request }) => {
      sent.push((await request.json()) as Fields);
      return HttpResponse.json(body, { status });
    }),
  );
  return sent;
}

/** The client of the samples. */
const clientId = "demo-client-0001";
const api = (options: ClientOptions = {}) => clientOf({ url: baseUrl }, { clientId, maxRetries: 0, ...options });
const params: FindVpasParams = { vpa_mobile: "6000000001", consent: "Y" };
const without = (body: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const issuesOf = async (given: Fields, options?: ClientOptions) =>
  (await failureOf(api(options).send(findVpas, given as never), RequestValidationError)).issues.map(
    ({ path, message }) => [path.join("."), message],
  );

describe("§4.1 POST verification/upimobile_multiple: the request", () => {
  const success = sample("verification/success-multiple");

  it("is the sample of the document", async () => {
    const sent = answer(success);
    await api({ clientId: "other" }).verification.findVpas({ ...params, clientData: { client_id: clientId } });
    expect(sent).toEqual([sample("verification/request")]);
  });

  describe("consent: required, must be `Y`", () => {
    it.each([undefined, null, "", "N", "y", " Y", "Yes", true, 1])(
      "%j is refused; it is never filled in",
      async (consent) => {
        const sent = answer(success);
        expect(await issuesOf({ vpa_mobile: "6000000001", consent })).toEqual([
          ["consent", expect.stringContaining('must be "Y"')],
        ]);
        expect(sent).toEqual([]);
      },
    );
  });

  describe("vpa_mobile: required, a mobile number", () => {
    it.each([undefined, null, 6000000001, {}])("%j is not a string", async (vpa_mobile) => {
      expect(await issuesOf({ consent: "Y", vpa_mobile })).toEqual([
        ["vpa_mobile", expect.stringMatching(/^(is missing|must be a string)/)],
      ]);
    });

    it.each(["", "12345", "5000000001", "60000000011", "not a number", "+1 6000000001"])(
      "%j is not an Indian mobile number, and the value is not echoed",
      async (vpa_mobile) => {
        const issues = await issuesOf({ consent: "Y", vpa_mobile });
        expect(issues).toEqual([["vpa_mobile", "must be an Indian mobile number: ten digits, the first from 6 to 9"]]);
      },
    );

    it("is sent as ten digits, however it was written", async () => {
      const sent = answer(success);
      for (const vpa_mobile of ["+91 60000-00001", "0091 6000000001", "06000000001", "916000000001"]) {
        await api().verification.findVpas({ vpa_mobile, consent: "Y" });
      }
      expect(new Set(sent.map(({ vpa_mobile }) => vpa_mobile))).toEqual(new Set(["6000000001"]));
    });

    it('validation.mobile: "asGiven" sends the number unchanged and unchecked', async () => {
      const sent = answer({ ...success, clientData: { client_id: clientId, mobile: "+1 555 0100" } });
      await api({ validation: { mobile: "asGiven" } }).verification.findVpas({
        vpa_mobile: "+1 555 0100",
        consent: "Y",
      });
      expect(sent[0]?.vpa_mobile).toBe("+1 555 0100");
      expect(await issuesOf({ consent: "Y", vpa_mobile: 7 }, { validation: { mobile: "asGiven" } })).toHaveLength(1);
    });
  });

  describe("clientData.client_id: required, filled in with the credential's client id", () => {
    it("if it is left out", async () => {
      const sent = answer(success);
      await api().verification.findVpas(params);
      expect(sent[0]?.clientData).toEqual({ client_id: clientId });
    });

    it.each<[string, unknown, string]>([
      ["an empty id", { client_id: "" }, "clientData.client_id"],
      ["no id", {}, "clientData.client_id"],
      ["an unknown field", { client_id: "a", other: 1 }, "clientData"],
      ["no object", "a", "clientData"],
    ])("%s is refused", async (_case, clientData, place) => {
      expect((await issuesOf({ ...params, clientData }))[0]?.[0]).toBe(place);
    });
  });

  it("an unknown field is refused; `extraBody` is there for what the document does not show", async () => {
    expect(await issuesOf({ ...params, vpa_mobil: "x" })).toEqual([
      ["", expect.stringContaining("has unknown field vpa_mobil")],
    ]);
    const sent = answer(success);
    await api().verification.findVpas(params, { extraBody: { purpose: "payout" } });
    expect(sent[0]?.purpose).toBe("payout");
  });
});

describe("§2.2 the result", () => {
  const fields: Record<keyof VpaResult, unknown> = {
    status: 1,
    statusCode: 101,
    partner_id: 7,
    name: null,
    vpa: null,
    vpaList: "6000000001@demoupi",
    count: "3",
    description: null,
    accountStatus: null,
    clientData: "x",
    message: null,
  };
  const success = sample("verification/success-multiple");
  const look = (vpa_mobile: string) =>
    api()
      .verification.findVpas({ ...params, vpa_mobile })
      .withResponse();

  it.each([
    ["success-multiple", []],
    ["success-single", []],
    ["success-unknown-account-status", []],
    [
      "success-inconsistent",
      [{ path: ["count"], message: "is not the length of `vpaList`", code: "unexpected_value" }],
    ],
  ])("%s is returned unchanged, with a warning about what contradicts itself", async (name, expected) => {
    const body = sample<VpaResult>(`verification/${name}`);
    answer(body);
    const { data, warnings } = await look(body.clientData.mobile);
    expect(data).toEqual(body);
    expect(warnings).toEqual(expected);
  });

  it("every field of the table is in the sample, and no other", () => {
    expect(Object.keys(success).sort()).toEqual(Object.keys(fields).sort());
  });

  it.each(Object.entries(fields))(
    "%s of another kind is a warning, and the response passes unchanged",
    async (name, value) => {
      const body = { ...success, [name]: value };
      answer(body);
      const { data, warnings } = await api().verification.findVpas(params).withResponse();
      expect(data).toEqual(body);
      expect(warnings.map(({ path }) => path[0])).toEqual([name]);
    },
  );

  it.each(Object.keys(fields))("%s that is missing is a warning", async (name) => {
    answer(without(success, name));
    const { warnings } = await api().verification.findVpas(params).withResponse();
    expect(warnings).toEqual([{ path: [name], message: "is missing", code: "invalid_type" }]);
  });

  it.each(["client_id", "mobile"])("§2.1 clientData.%s that is missing is a warning", async (name) => {
    answer({ ...success, clientData: without(success.clientData as Fields, name) });
    const { warnings } = await api().verification.findVpas(params).withResponse();
    expect(warnings.map(({ path }) => path)).toEqual([["clientData", name]]);
  });

  it("a code as a number and a count as text are reported and not changed", async () => {
    const body = sample<VpaResult>("verification/success-number-status-code");
    answer(body);
    const { data, warnings } = await look(body.clientData.mobile);
    expect(data).toEqual(body);
    expect(warnings.map(({ path }) => path)).toEqual([["statusCode"], ["count"]]);
  });

  it("without `vpa` and `vpaList` it lacks what the caller asked for", async () => {
    answer(without(success, "vpa", "vpaList"));
    const error = await failureOf(api().verification.findVpas(params), ResponseValidationError);
    expect(error.body).toEqual(without(success, "vpa", "vpaList"));
    expect(error.message).toContain("vpa is missing");
  });
});

describe("§7.1 verification errors", () => {
  it.each([
    ["failed-400-invalid-mobile", InvalidRequestError, "400", "Invalid mobile number format"],
    ["failed-404-not-found", NotFoundError, "404", "No UPI ID found linked to the mobile number"],
    ["failed-missing-consent", InvalidRequestError, "400", "Consent is required"],
    ["failed-auth-uppercase-style", AuthenticationError, "401", "Invalid client credentials"],
    ["failed-ip-not-allowed", PermissionError, "403", "Access restricted. IP address is not registered."],
    ["failed-rate-limited", RateLimitError, "429", "Too many requests"],
    ["failed-pending", RequestInProgressError, "102", "Request is being processed"],
  ] as const)(
    "%s, under HTTP 200 and under the status of its code",
    async (name, errorClass, statusCode, serviceMessage) => {
      const body = sample(`verification/${name}`);
      for (const status of [200, Math.max(200, Number(statusCode))]) {
        answer(body, status);
        const error = await failureOf<ApiError>(api().verification.findVpas(params), errorClass);
        expect(error).toMatchObject({
          httpStatus: status,
          statusCode,
          serviceMessage,
          body,
          operation: "verification.findVpas",
        });
      }
    },
  );

  it("are told apart by `kind` as well as by class", async () => {
    answer(sample("verification/failed-404-not-found"), 404);
    await expect(api().verification.findVpas(params)).rejects.toMatchObject({ kind: "not_found", outcome: "rejected" });
  });
});
