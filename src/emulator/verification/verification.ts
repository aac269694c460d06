import { isObject } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { findVpas } from "../../verification/operations.ts";
import { vpaResultSchema } from "../../verification/schemas.ts";
import type { FindVpasParams } from "../../verification/types.ts";
import { untilAborted } from "../http/wait.ts";
import { own } from "../names.ts";
import { wholeBody } from "../rules/bodies.ts";
import type { SampleNames } from "../rules/names.ts";
import { refuse, refuseFields } from "../rules/refusal.ts";
import failedPending from "../samples/verification/failed-pending.json" with { type: "json" };
import successInconsistent from "../samples/verification/success-inconsistent.json" with { type: "json" };
import successMultiple from "../samples/verification/success-multiple.json" with { type: "json" };
import successNumberStatusCode from "../samples/verification/success-number-status-code.json" with { type: "json" };
import successSingle from "../samples/verification/success-single.json" with { type: "json" };
import successUnknownAccountStatus from "../samples/verification/success-unknown-account-status.json" with {
  type: "json",
};
import type { Call } from "../service/behaviour.ts";

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
export const verification = wholeBody<FindVpasParams>({
  operation: findVpas,
  samples: verificationSamples,
  schema: standardSchema(vpaResultSchema),
  sample: successMultiple,
  refuse: refuseNumber,
  success: (call) => {
    const sample = sampleOf(call);
    return sample === undefined || sample === failedPending ? found(call) : fill(sample, call);
  },
  derive: withVpas,
  refuseBody: (broken, caller) => {
    const first = broken.find(({ path }) => path === "consent" || path === "vpa_mobile");
    if (first === undefined) return refuseFields(broken, caller);
    return first.path === "consent" ? refuse(400, "Consent is required") : refuse("invalid");
  },
});

function sampleOf({ sample, body }: Call<FindVpasParams>) {
  return own(verificationSamples, sample ?? samplesByEnding[body.vpa_mobile.slice(-4)] ?? "");
}

/** Refuses the numbers that the test values name, and says that a look-up is pending. */
function refuseNumber(call: Call<FindVpasParams>): Promise<never> | undefined {
  const { vpa_mobile: mobile } = call.body;
  if (sampleOf(call) === failedPending) {
    throw refuse(102, failedPending.message, { fields: fill(failedPending, call) });
  }
  if (call.sample !== undefined) return undefined;
  if (!/^[6-9]\d{9}$/.test(mobile)) throw refuse("invalid");
  if (mobile.endsWith("0404")) throw refuse("not_found");
  if (mobile.endsWith("0504")) return untilAborted(call.signal);
  if (mobile.endsWith("0429")) {
    const lookups = (call.state.lookups.get(mobile) ?? 0) + 1;
    call.state.lookups.set(mobile, lookups);
    if (lookups <= 2) throw refuse("rate_limited");
  }
  return undefined;
}

function fill(sample: object, { body, caller }: Call<FindVpasParams>): object {
  const text = JSON.stringify(sample)
    .replaceAll(/60000000\d\d/g, body.vpa_mobile)
    .replaceAll('"demo-client-0001"', JSON.stringify(caller.clientId));
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
function found({ body, caller }: Call<FindVpasParams>): object {
  const { vpa_mobile: mobile } = body;
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
    clientData: { client_id: caller.clientId, mobile },
    message: "UPI handles fetched.",
  };
}
