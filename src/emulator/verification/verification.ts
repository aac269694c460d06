import { isObject } from "../../shared/json.ts";
import { findVpas } from "../../verification/operations.ts";
import { vpaResultSchema } from "../../verification/schemas.ts";
import type { FindVpasParams } from "../../verification/types.ts";
import { untilAborted } from "../http/wait.ts";
import { namesIn, own, tableOf } from "../names.ts";
import { wholeBody } from "../rules/bodies.ts";
import { refuse, refuseFields } from "../rules/refusal.ts";
import type { Call } from "../service/behaviour.ts";

/** The fields in which a success differs from others (§2.2); the VPAs by their ends. */
interface Found {
  readonly handles: readonly string[];
  readonly [field: string]: unknown;
}

const found = tableOf<Found>()({
  "success-multiple": { name: "ASHA EXAMPLE", handles: ["@examplebank", "@samplepay", "asha.example-1@demoupi"] },
  "success-single": { name: "MR RAVI SAMPLE", handles: ["@demoupi"] },
  "success-unknown-account-status": { name: "MEENA PLACEHOLDER", handles: ["@demoupi"], accountStatus: "DORMANT" },
  "success-inconsistent": { name: "", vpa: "other@demoupi", handles: ["@demoupi", "@samplepay"], count: 3 },
  "success-number-status-code": { name: "ASHA EXAMPLE", handles: ["@demoupi"], statusCode: 101, count: "1" },
});
const sampleNames = [...namesIn(found), "failed-pending"] as const;

const names = ["ASHA EXAMPLE", "RAVI SAMPLE", "MEENA PLACEHOLDER", "ARUN DEMO"];
const handles = ["@demoupi", "@examplebank", "@samplepay"];

/** Depends only on the digits of the number. */
function derived(mobile: string): Found {
  const seed = Number(mobile.slice(-6));
  return { name: names[seed % names.length], handles: handles.slice(0, 1 + (seed % handles.length)) };
}

function bodyOf(sample: string | undefined, mobile: string, client_id: string): object {
  const partner_id = `PTR${mobile.padStart(16, "0")}`;
  if (sample === "failed-pending") {
    return { status: "pending", statusCode: "102", message: pending, partner_id, clientData: { client_id } };
  }
  const { handles, ...fields } = own(found, sample ?? "") ?? derived(mobile);
  const vpaList = handles.map((handle) => (handle.startsWith("@") ? `${mobile}${handle}` : handle));
  return {
    ...{ status: "success", statusCode: "101", partner_id, vpa: vpaList[0], vpaList, count: vpaList.length },
    ...{ description: "UPI ID(s) found for the mobile number.", message: "UPI handles fetched." },
    ...{ accountStatus: "VALID", clientData: { client_id, mobile }, ...fields },
  };
}

const pending = "Request is being processed";

export const verificationSamples = Object.fromEntries(
  sampleNames.map((name, i) => [name, bodyOf(name, `600000000${i + 1}`, "demo-client-0001")]),
) as Readonly<Record<(typeof sampleNames)[number], object>>;

/** The last four digits of `vpa_mobile` choose a sample: the number of a success, or 0102. */
function sampleOf({ sample, body }: Call<FindVpasParams>): string | undefined {
  const ending = body.vpa_mobile.slice(-4);
  return sample ?? (ending === "0102" ? "failed-pending" : namesIn(found)[Number(ending) - 1]);
}

/** The VPA look-up (§2.2, §4.1, §7.1). */
export const verification = wholeBody<FindVpasParams>({
  operation: findVpas,
  samples: verificationSamples,
  schema: vpaResultSchema,
  sample: verificationSamples["success-multiple"],
  refuse: refuseNumber,
  success: (call) => {
    const sample = sampleOf(call);
    return bodyOf(sample === "failed-pending" ? undefined : sample, call.body.vpa_mobile, call.caller.clientId);
  },
  derive: withVpas,
  refuseBody: (broken, caller) => {
    const first = broken.find(({ path }) => path === "consent" || path === "vpa_mobile");
    if (first === undefined) return refuseFields(broken, caller);
    return first.path === "consent" ? refuse(400, "Consent is required") : refuse("invalid");
  },
});

/** Refuses the numbers that the test values name, and says that a look-up is pending. */
function refuseNumber(call: Call<FindVpasParams>): Promise<never> | undefined {
  const { vpa_mobile: mobile } = call.body;
  if (sampleOf(call) === "failed-pending") {
    throw refuse(102, pending, { fields: bodyOf("failed-pending", mobile, call.caller.clientId) });
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

/** `vpa`, `vpaList` and `count` agree, unless all of them are given. */
function withVpas(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { vpa, vpaList = vpa === undefined ? undefined : [vpa] } = given;
  return Array.isArray(vpaList) ? { vpa: vpaList[0], vpaList, count: vpaList.length, ...given } : given;
}
