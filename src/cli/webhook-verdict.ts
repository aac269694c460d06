/** What came back from a receiver. */
export interface Answer {
  readonly milliseconds: number;
  readonly status?: number;
  readonly headers?: Headers;
  readonly text?: string;
  /** Why there was no answer. */
  readonly failure?: string;
}

/** §6.3: the three client cases. */
const statusCodes: Readonly<Record<string, string>> = { SUCCESS: "200", FAILED: "400", DUPLICATE: "208" };

/** What is wrong with an acknowledgement (§6.3, §6.5.3); nothing, when it is right. */
export function judge(answer: Answer, reference: string): readonly string[] {
  if (answer.failure !== undefined) return [`There was no answer: ${answer.failure}.`];
  const body = parse(answer.text ?? "");
  return [
    ...(answer.milliseconds > 7_000 ? ["It took longer than the 7 s of §6.3."] : []),
    ...(answer.status === 200 ? [] : [`The HTTP status is ${answer.status}; §8 wants 200 always.`]),
    ...(body === undefined ? ["The body is not a JSON object."] : judgeBody(body, reference)),
    ...["server", "x-powered-by"]
      .filter((name) => answer.headers?.has(name))
      .map((name) => `The header "${name}" tells what stands behind the endpoint (§6.5.3).`),
  ];
}

/** Whether it says FAILED, the reason for which an answer never tells. */
export function isRefused({ text = "" }: Answer): boolean {
  return parse(text)?.status === "FAILED";
}

function judgeBody(body: Readonly<Record<string, unknown>>, reference: string): readonly string[] {
  const { status } = body;
  const statusCode = typeof status === "string" && Object.hasOwn(statusCodes, status) ? statusCodes[status] : undefined;
  const checks: readonly (readonly [boolean, string])[] = [
    [body.http_status === true, "`http_status` must be true."],
    [statusCode !== undefined, "`status` must be SUCCESS, FAILED or DUPLICATE."],
    [statusCode === undefined || body.statusCode === statusCode, `\`statusCode\` must be the text "${statusCode}".`],
    [body.client_referenceId === reference, "`client_referenceId` must echo the delivery's."],
    [body.acknowledged === "1", '`acknowledged` must be the text "1".'],
    [status !== "FAILED", "It says FAILED: the receiver refused the delivery, or could not process it."],
  ];
  return checks.filter(([isRight]) => !isRight).map(([, message]) => message);
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
