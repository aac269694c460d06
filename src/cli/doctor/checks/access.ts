import type { CallRecord } from "../live/call-record.ts";
import { type Check, failed, notChecked, ok } from "./check.ts";

/**
 * Checks whether the service accepts the credentials and the public IP address of this machine, which only calls can
 * show.
 */
export function checkAccess(calls: readonly CallRecord[]): readonly Check[] {
  // A gateway refuses with a status alone, and with a page.
  const refused = (kind: string, status: number) =>
    calls.find(({ error, exchange }) => error?.kind === kind || (error !== undefined && exchange?.status === status));
  const isAccepted = calls.some(({ gotThrough }) => gotThrough);
  return [
    judge("credentials", refused("authentication", 401), isAccepted, {
      refused: "Check client ID and secret in the partner panel (Developers, Developer Setting, Credentials).",
      unknown: "Only a call can show it: serviceapi doctor --live --refusal makes one that is harmless.",
    }),
    judge("IP address", refused("permission", 403), isAccepted, {
      refused: `The service may not have registered the public IP address of this machine. ${howToFind}`,
      unknown: `This machine cannot know the public IP address that the service sees. ${howToFind} serviceapi doctor --live --refusal makes a harmless call that shows whether it is accepted.`,
    }),
  ];
}

const howToFind =
  "It is that of the NAT gateway, proxy or load balancer in front: read it in the console of your cloud, ask whoever runs the network, and have it whitelisted.";

function judge(
  name: string,
  refusal: CallRecord | undefined,
  isAccepted: boolean,
  advice: { readonly refused: string; readonly unknown: string },
): Check {
  if (refusal !== undefined) {
    const { operation, exchange } = refusal;
    return failed(name, `refused by the service (${operation}, HTTP ${exchange?.status})`, advice.refused);
  }
  return isAccepted
    ? ok(name, "accepted by the service")
    : notChecked(name, "no call of the service was made, or none got through", advice.unknown);
}
