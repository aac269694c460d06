import type { CallRecord } from "../live/call-record.ts";
import { type Check, failed, notChecked, ok } from "./check.ts";

/**
 * Checks whether the service accepts the credentials and the public IP address of this machine, which only calls can
 * show.
 */
export function checkAccess(calls: readonly CallRecord[]): readonly Check[] {
  const errors = calls.flatMap(({ error }) => error ?? []);
  const refused = (kind: string) => errors.find((error) => error.kind === kind);
  const isAccepted = calls.some(({ gotThrough }) => gotThrough);
  return [
    judge("credentials", refused("authentication"), isAccepted, {
      refused: "Check client ID and secret in the partner panel (Developers, Developer Setting, Credentials).",
      unknown: "Only a call can show it: serviceapi doctor --live --refusal makes one that is harmless.",
    }),
    judge("IP address", refused("permission"), isAccepted, {
      refused: `The service may not have registered the public IP address of this machine. ${howToFind}`,
      unknown: `This machine cannot know the public IP address that the service sees. ${howToFind} serviceapi doctor --live --refusal makes a harmless call that shows whether it is accepted.`,
    }),
  ];
}

const howToFind =
  "It is that of the NAT gateway, proxy or load balancer in front: read it in the console of your cloud, ask whoever runs the network, and have it whitelisted.";

function judge(
  name: string,
  refusal: NonNullable<CallRecord["error"]> | undefined,
  isAccepted: boolean,
  advice: { readonly refused: string; readonly unknown: string },
): Check {
  if (refusal !== undefined) {
    const { httpStatus } = Object(refusal);
    return failed(name, `the service refused it (${refusal.kind}, HTTP ${httpStatus})`, advice.refused);
  }
  return isAccepted
    ? ok(name, "accepted by the service")
    : notChecked(name, "no call of the service was made, or none got through", advice.unknown);
}
