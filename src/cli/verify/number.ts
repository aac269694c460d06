import type { ServiceApi } from "../../service-api.ts";
import type { VpaResult } from "../../verification/types.ts";
import { isUsable } from "../../verification/usable.ts";
import { print, printJson } from "../shared/action.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { formatTables } from "../shared/format-table.ts";
import { maskAddress, maskMessage, maskName, maskNumber } from "../shared/mask.ts";
import { printed } from "../shared/printed.ts";
import type { VerifyFlags } from "./flags.ts";

/** Prints what is linked to one number. An error, that none is linked included, decides the exit code. */
export async function verifyNumber(api: ServiceApi, vpa_mobile: string, flags: VerifyFlags): Promise<ExitCode> {
  const result = await api.verification.findVpas({ vpa_mobile, consent: flags.consent });
  const shown = flags.showPii ? result : masked(result);
  if (flags.json) printJson(shown);
  else print(formatTables([tableOf(shown, isUsable(result))]));
  return exitCodes.done;
}

function tableOf({ clientData, name, vpa, vpaList, accountStatus, partner_id }: VpaResult, usable: boolean) {
  const status = `${printed(String(accountStatus))}${usable ? "" : " (not usable for payments)"}`;
  return {
    title: `UPI IDs of ${printed(String(clientData?.mobile ?? "the number"))}`,
    rows: [
      ["name", printed(String(name)) || "(none)"],
      ["VPA", printed(String(vpa))],
      ["all VPAs", [...new Set(vpaList)].map((one) => printed(String(one))).join("\n") || "(none)"],
      ["account", status],
      ["partner ID", printed(String(partner_id))],
    ] as const,
  };
}

/** Masks the fields that are known, and numbers in all others. */
function masked(result: VpaResult): VpaResult {
  const masks: Record<string, (text: string) => string> = { name: maskName, vpa: maskAddress, mobile: maskNumber };
  const mask = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((element) => mask(element, name));
    if (typeof value === "string") return (masks[name] ?? (name === "vpaList" ? maskAddress : maskMessage))(value);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, mask(field, key)]));
  };
  const { partner_id, ...rest } = result;
  return { ...(mask(rest, "") as VpaResult), partner_id: maskNumber(String(partner_id)) };
}
