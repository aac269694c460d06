import type { CallRecord } from "../live/call-record.ts";
import { type Check, failed, notChecked, ok } from "./check.ts";

/** Something that the service accepts or refuses, which only a call can show. */
interface Subject {
  readonly name: string;
  /** The kind of the refusal. A gateway refuses with a status alone, and with a page. */
  readonly kind: string;
  readonly status: number;
  /** Advice after a refusal, and as long as no call was made. */
  readonly refused: string;
  readonly unknown: string;
}

const howToFind =
  "It is the address of the NAT gateway, proxy or load balancer in front: read it in the console of your cloud, ask the people who run the network, and have it whitelisted.";

const subjects: readonly Subject[] = [
  {
    name: "credentials",
    kind: "authentication",
    status: 401,
    refused: "Check client ID and secret in the partner panel (Developers, Developer Setting, Credentials).",
    unknown: "Only a call can show it: npx serviceapi doctor --live --refusal makes one that is harmless.",
  },
  {
    name: "IP address",
    kind: "permission",
    status: 403,
    refused: `The service may not have registered the public IP address of this machine. ${howToFind}`,
    unknown: `This machine cannot know the public IP address that the service sees. ${howToFind} npx serviceapi doctor --live --refusal makes a harmless call that shows whether it is accepted.`,
  },
];

/** Checks whether the service accepts the credentials and the public IP address of this machine. */
export function checkAccess(calls: readonly CallRecord[]): readonly Check[] {
  return subjects.map((subject) => judge(subject, calls));
}

function judge(subject: Subject, calls: readonly CallRecord[]): Check {
  const { name, refused, unknown } = subject;
  const refusal = refusalOf(subject, calls);
  if (refusal !== undefined) {
    const { operation, exchange } = refusal;
    return failed(name, `refused by the service (${operation}, HTTP ${exchange?.status})`, refused);
  }
  if (calls.some(({ gotThrough }) => gotThrough)) return ok(name, "accepted by the service");
  if (calls.length === 0) return notChecked(name, "no call of the service was made", unknown);
  const other = subjects.find((each) => refusalOf(each, calls) !== undefined);
  return other === undefined
    ? notChecked(name, "no call had a response that shows it", "See below how each call ended.")
    : notChecked(name, `the service refused the ${other.name}`, "Correct that first, and make the call again.");
}

function refusalOf({ kind, status }: Subject, calls: readonly CallRecord[]): CallRecord | undefined {
  return calls.find(({ error, exchange }) => error?.kind === kind || (error && exchange?.status === status));
}
