import { isServiceApiError } from "../../errors/any.ts";
import type { ServiceApi } from "../../service-api.ts";
import { field } from "../../shared/json.ts";
import type { VpaResult } from "../../verification/types.ts";
import { isUsable } from "../../verification/usable.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { maskAddress, maskFields, maskMessage, maskName, maskNumber } from "../shared/mask.ts";
import { cleanLine, printNote, printResult } from "../shared/print.ts";
import type { VerifyFlags } from "./flags.ts";
import { contradictionsOf, maskUnlessCode, textOf } from "./results.ts";

export async function verifyNumber(api: ServiceApi, vpa_mobile: string, flags: VerifyFlags): Promise<ExitCode> {
  const result = await api.verification.findVpas({ vpa_mobile, consent: "Y" }).catch((error: unknown) => {
    // For a person that is a result.
    if (flags.json || !isServiceApiError(error) || error.kind !== "not_found") throw error;
  });
  if (result === undefined) {
    printNote(`No UPI ID is linked to ${flags.showPii ? vpa_mobile : maskNumber(vpa_mobile)}.`);
    return exitCodes.notFound;
  }
  const shown = flags.showPii ? result : masked(result);
  printResult(flags, shown, () => formatResult(shown, isUsable(result)));
  for (const contradiction of contradictionsOf(result)) printNote(`! ${contradiction}`);
  return exitCodes.done;
}

/** A response that has drifted may have anything in any field. */
function formatResult(result: Partial<VpaResult>, usable: boolean): string {
  const { name, vpa, vpaList, accountStatus, partner_id, clientData } = result;
  const line = (value: unknown) => cleanLine(textOf(value) ?? "") || "(none)";
  const vpas = Array.isArray(vpaList) && vpaList.length > 0 ? vpaList : [vpaList];
  const title = `UPI IDs of ${line(field(clientData, "mobile") ?? "the number")}`;
  const items = {
    name: line(name),
    VPA: line(vpa),
    "all VPAs": [...new Set(vpas.map(line))].join("\n"),
    account: `${line(accountStatus)}${usable ? "" : " (not usable for payments)"}`,
    "partner ID": line(partner_id),
  };
  return formatLists({ [title]: items }, unwrapped);
}

/** Fields that say nothing of a person. All others are masked, unknown ones included. */
const impersonal: ReadonlySet<string> = new Set(["status", "statusCode", "count", "accountStatus"]);
/** Sentences of the service, which may quote a number. */
const sentences: ReadonlySet<string> = new Set(["description", "message"]);

function masked(result: VpaResult): VpaResult {
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => {
      // A small number or a code such as `VALID` stays.
      if (typeof value === "number" && impersonal.has(name) && value < 10_000) return [name, value];
      if (typeof value === "string" && impersonal.has(name)) return [name, maskUnlessCode(value)];
      if (typeof value === "string" && sentences.has(name)) return [name, maskMessage(value)];
      return [maskMessage(name), maskFields(value, maskScalar, name)];
    }),
  ) as unknown as VpaResult;
}

const masks = new Map([
  ["name", maskName],
  ["vpa", maskAddress],
  ["vpaList", maskAddress],
]);

function maskScalar(value: unknown, name: string): unknown {
  if (typeof value === "string") return (masks.get(name) ?? maskNumber)(value);
  return typeof value === "number" ? maskNumber(String(value)) : value;
}
