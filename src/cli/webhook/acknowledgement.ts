import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";

/** What came back from a receiver. */
export interface Answer {
  readonly milliseconds: number;
  readonly status?: number;
  readonly headers?: Headers;
  readonly text?: string;
  /** Why no response came. */
  readonly failure?: string;
}

/** What is wrong with an acknowledgement (§6.3, §6.5.3); nothing if it is right. */
export function judge(answer: Answer, reference: string): readonly string[] {
  const { failure, milliseconds, status = 0, text = "", headers } = answer;
  if (failure !== undefined) return [`No response came: ${failure}.`];
  return [
    ...(milliseconds > 7_000 ? ["It took longer than the 7 s that the service waits."] : []),
    ...checkAcknowledgement({ status, body: text }, reference).problems.map(({ message }) => message),
    ...(headers?.has("x-powered-by")
      ? ['The header "x-powered-by" reveals what the endpoint runs on. Remove it.']
      : []),
  ];
}

/** What deserves a look but fails nothing: proxies such as nginx and Cloudflare add a `Server` header by themselves. */
export function warn({ headers }: Answer): readonly string[] {
  return headers?.has("server") ? ['The header "server" reveals what the endpoint runs on. Remove it if you can.'] : [];
}

/** The `status` of an acknowledgement, if it has one of §6.3. */
export function statusOf({ status = 0, text = "" }: Answer): string | undefined {
  return checkAcknowledgement({ status, body: text }, "").status;
}
