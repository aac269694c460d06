import { field } from "../../shared/json.ts";
import { findVpas } from "../../verification/operations.ts";
import type { FindVpasParams } from "../../verification/types.ts";
import { type Call, defineBehaviour } from "../service/behaviour.ts";
import type { Sample } from "../catalogue/sample.ts";
import { verificationSamples } from "../catalogue/verification.ts";
import { type Answer, forever, json } from "../http/response.ts";
import { refusal } from "../service/refusals.ts";

/** The last four digits of `vpa_mobile` choose a sample. */
const magicEndings: Readonly<Record<string, string>> = {
  "0001": "success-multiple",
  "0002": "success-single",
  "0003": "success-unknown-account-status",
  "0004": "success-inconsistent",
  "0005": "success-number-status-code",
  "0102": "failed-pending",
  "0404": "failed-404-not-found",
};

const malformedFields: Readonly<Record<string, Sample>> = {
  consent: verificationSamples["failed-missing-consent"],
  vpa_mobile: verificationSamples["failed-400-invalid-mobile"],
};

/** The VPA look-up (§2.2, §4.1, §7.1). */
export const verification = defineBehaviour(findVpas, {
  scenarios: Object.keys(verificationSamples),
  answer,
  malformed: (issues, who, body) => {
    const [first] = issues.map(({ path }) => malformedFields[path]).filter((sample) => sample !== undefined);
    if (first !== undefined) return fill(first, "", clientIdOf(body) || who.clientId);
    const message = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
    return refusal(who, 400, message);
  },
});

function answer(call: Call<FindVpasParams>): Answer | Promise<Answer> {
  const { vpa_mobile: mobile } = call.body;
  const { retryAfterSeconds } = call.settings;
  const clientId = clientIdOf(call.body);
  const ending = mobile.slice(-4);
  const asked = verificationSamples[call.scenario ?? ""];
  if (asked !== undefined) return fill(asked, mobile, clientId, retryAfterSeconds);
  if (!/^[6-9]\d{9}$/.test(mobile)) return fill(verificationSamples["failed-400-invalid-mobile"], mobile, clientId);
  const magic = verificationSamples[magicEndings[ending] ?? ""];
  if (magic !== undefined) return fill(magic, mobile, clientId);
  if (ending === "0504") return forever(call.signal);
  if (ending === "0429" && countAsked(call, mobile) <= 2) {
    return fill(verificationSamples["failed-rate-limited"], mobile, clientId, retryAfterSeconds);
  }
  return json(200, found(mobile, clientId));
}

/** A sample about this mobile number and this client. */
function fill(sample: Sample, mobile: string, clientId: string, retryAfter?: number): Answer {
  const text = JSON.stringify(sample.body)
    .replaceAll(/60000000\d\d/g, mobile)
    .replaceAll('"demo-client-0001"', JSON.stringify(clientId));
  const headers = sample.status === 429 ? { "retry-after": `${retryAfter}` } : undefined;
  return json(sample.status, JSON.parse(text), headers);
}

/** How often this number was asked for, this time included. */
function countAsked(call: Call<FindVpasParams>, mobile: string): number {
  const count = (call.state.refused.get(mobile) ?? 0) + 1;
  call.state.refused.set(mobile, count);
  return count;
}

const names = ["ASHA EXAMPLE", "RAVI SAMPLE", "MEENA PLACEHOLDER", "ARUN DEMO"];
const handles = ["demoupi", "examplebank", "samplepay"];

/** A success body made from the digits of the number alone. */
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
  const clientId = field(field(body, "clientData"), "client_id");
  return typeof clientId === "string" ? clientId : "";
}
