import { field, isObject, stringOf } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { findVpas } from "../../verification/operations.ts";
import { vpaResultSchema } from "../../verification/schemas.ts";
import type { FindVpasParams } from "../../verification/types.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { untilAborted } from "../http/wait.ts";
import { own } from "../names.ts";
import { wholeBodies } from "../rules/bodies.ts";
import type { SampleNames } from "../rules/names.ts";
import { refusal, refusalResponse, refuse, refuseAs, refuseFields } from "../rules/refusal.ts";
import failedPending from "../samples/verification/failed-pending.json" with { type: "json" };
import successInconsistent from "../samples/verification/success-inconsistent.json" with { type: "json" };
import successMultiple from "../samples/verification/success-multiple.json" with { type: "json" };
import successNumberStatusCode from "../samples/verification/success-number-status-code.json" with { type: "json" };
import successSingle from "../samples/verification/success-single.json" with { type: "json" };
import successUnknownAccountStatus from "../samples/verification/success-unknown-account-status.json" with {
  type: "json",
};
import type { Behaviour, Call } from "../service/behaviour.ts";

type SampleName = SampleNames["verification.findVpas"];

/** Responses of the VPA look-up by name (§2.2). */
export const verificationSamples: Readonly<Record<SampleName, Readonly<Record<string, unknown>>>> = {
  "success-multiple": successMultiple,
  "success-single": successSingle,
  "success-unknown-account-status": successUnknownAccountStatus,
  "success-inconsistent": successInconsistent,
  "success-number-status-code": successNumberStatusCode,
  "failed-pending": failedPending,
};

/** The last four digits of `vpa_mobile` choose a sample. */
const samplesByEnding: Readonly<Record<string, SampleName>> = {
  "0001": "success-multiple",
  "0002": "success-single",
  "0003": "success-unknown-account-status",
  "0004": "success-inconsistent",
  "0005": "success-number-status-code",
  "0102": "failed-pending",
};

/** The VPA look-up (§2.2, §4.1, §7.1). */
export const verification: Behaviour<FindVpasParams> = {
  operation: findVpas,
  samples: Object.keys(verificationSamples),
  respond,
  bodies: wholeBodies<FindVpasParams>({
    schema: standardSchema(vpaResultSchema),
    sample: successMultiple,
    success: ({ body }) => found(body.vpa_mobile, clientIdOf(body)),
    derive: withVpas,
  }),
  refuseBody: (broken, caller, body) => {
    const asked = { ...caller, clientId: clientIdOf(body) || caller.clientId };
    const first = broken.find(({ path }) => path === "consent" || path === "vpa_mobile");
    if (first === undefined) return refuseFields(broken, caller);
    return first.path === "consent" ? refuse(400, "Consent is required", asked) : refuseAs("invalid", asked);
  },
};

function respond(call: Call<FindVpasParams>): EmulatedResponse | Promise<EmulatedResponse> {
  const { vpa_mobile: mobile } = call.body;
  const clientId = clientIdOf(call.body);
  const caller = { area: findVpas.area, clientId };
  const ending = mobile.slice(-4);
  if (call.sample === undefined) {
    if (!/^[6-9]\d{9}$/.test(mobile)) return refuseAs("invalid", caller);
    if (ending === "0404") return refuseAs("not_found", caller);
    if (ending === "0504") return untilAborted(call.signal);
    if (ending === "0429") {
      const lookups = (call.state.lookups.get(mobile) ?? 0) + 1;
      call.state.lookups.set(mobile, lookups);
      if (lookups <= 2) return refusalResponse(refusal("rate_limited"), caller, call.settings);
    }
  }
  const sample = own(verificationSamples, call.sample ?? samplesByEnding[ending] ?? "");
  return json(200, sample === undefined ? found(mobile, clientId) : fill(sample, mobile, clientId));
}

function fill(sample: object, mobile: string, clientId: string): unknown {
  const text = JSON.stringify(sample)
    .replaceAll(/60000000\d\d/g, mobile)
    .replaceAll('"demo-client-0001"', JSON.stringify(clientId));
  return JSON.parse(text);
}

/** `vpa`, `vpaList` and `count` agree, unless all of them are given. */
function withVpas(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { vpa, vpaList = vpa === undefined ? undefined : [vpa] } = given;
  return Array.isArray(vpaList) ? { vpa: vpaList[0], vpaList, count: vpaList.length, ...given } : given;
}

const names = ["ASHA EXAMPLE", "RAVI SAMPLE", "MEENA PLACEHOLDER", "ARUN DEMO"];
const handles = ["demoupi", "examplebank", "samplepay"];

/** Returns a success body that depends only on the digits of the number. */
function found(mobile: string, clientId: string): Record<string, unknown> {
  const seed = Number(mobile.slice(-6));
  const vpaList = handles.slice(0, 1 + (seed % handles.length)).map((handle) => `${mobile}@${handle}`);
  return {
    status: "success",
    statusCode: "101",
    partner_id: `PTR${mobile.padStart(16, "0")}`,
    name: names[seed % names.length],
    vpa: vpaList[0],
    vpaList,
    count: vpaList.length,
    description: "UPI ID(s) found for the mobile number.",
    accountStatus: "VALID",
    clientData: { client_id: clientId, mobile },
    message: "UPI handles fetched.",
  };
}

function clientIdOf(body: unknown): string {
  return stringOf(field(field(body, "clientData"), "client_id"));
}
