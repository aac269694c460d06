import { field, isObject, stringOf } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { findVpas } from "../../verification/operations.ts";
import { vpaResultSchema } from "../../verification/schemas.ts";
import type { FindVpasParams } from "../../verification/types.ts";
import type { Sample } from "../catalogue/sample.ts";
import type { VerificationSampleName } from "../catalogue/scenario-names.ts";
import { verificationSamples } from "../catalogue/verification.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { untilAborted } from "../http/wait.ts";
import { own } from "../names.ts";
import { scriptedBody } from "../scripts/scripting.ts";
import { type Call, defineBehaviour } from "../service/behaviour.ts";
import { retryAfterHeader } from "../service/refusals.ts";
import { refuseInOneSentence } from "../service/refuse-body.ts";

/** The last four digits of `vpa_mobile` choose a sample. */
const samplesByEnding: Readonly<Record<string, VerificationSampleName>> = {
  "0001": "success-multiple",
  "0002": "success-single",
  "0003": "success-unknown-account-status",
  "0004": "success-inconsistent",
  "0005": "success-number-status-code",
  "0102": "failed-pending",
  "0404": "failed-404-not-found",
};

/** The refusal of a body in which this field is invalid. */
const invalidFields: Readonly<Record<string, Sample>> = {
  consent: verificationSamples["failed-missing-consent"],
  vpa_mobile: verificationSamples["failed-400-invalid-mobile"],
};

/** The VPA look-up (§2.2, §4.1, §7.1). */
export const verification = defineBehaviour(findVpas, {
  scenarios: Object.keys(verificationSamples),
  respond,
  scripting: scriptedBody<FindVpasParams>({
    schema: standardSchema(vpaResultSchema),
    sample: verificationSamples["success-multiple"].body,
    success: ({ body }) => found(body.vpa_mobile, clientIdOf(body)),
    derive: withVpas,
  }),
  refuseBody: (broken, caller, body) => {
    const [first] = broken.map(({ path }) => invalidFields[path]).filter((sample) => sample !== undefined);
    if (first !== undefined) return fill(first, "", clientIdOf(body) || caller.clientId);
    return refuseInOneSentence(broken, caller);
  },
});

function respond(call: Call<FindVpasParams>): EmulatedResponse | Promise<EmulatedResponse> {
  const { vpa_mobile: mobile } = call.body;
  const { retryAfter } = call.settings;
  const clientId = clientIdOf(call.body);
  const ending = mobile.slice(-4);
  const requested = own(verificationSamples, call.scenario ?? "");
  if (requested !== undefined) return fill(requested, mobile, clientId, retryAfter);
  if (!/^[6-9]\d{9}$/.test(mobile)) return fill(verificationSamples["failed-400-invalid-mobile"], mobile, clientId);
  const chosen = own(verificationSamples, samplesByEnding[ending] ?? "");
  if (chosen !== undefined) return fill(chosen, mobile, clientId);
  if (ending === "0504") return untilAborted(call.signal);
  if (ending === "0429" && countLookups(call, mobile) <= 2) {
    return fill(verificationSamples["failed-rate-limited"], mobile, clientId, retryAfter);
  }
  return json(200, found(mobile, clientId));
}

/** Returns a sample about this mobile number and this client. */
function fill(sample: Sample, mobile: string, clientId: string, retryAfter = 0): EmulatedResponse {
  const text = JSON.stringify(sample.body)
    .replaceAll(/60000000\d\d/g, mobile)
    .replaceAll('"demo-client-0001"', JSON.stringify(clientId));
  const headers = sample.status === 429 ? retryAfterHeader(retryAfter) : undefined;
  return json(sample.status, JSON.parse(text), headers);
}

/** Returns the number of look-ups of this mobile number, including this one. */
function countLookups(call: Call<FindVpasParams>, mobile: string): number {
  const count = (call.state.lookups.get(mobile) ?? 0) + 1;
  call.state.lookups.set(mobile, count);
  return count;
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
