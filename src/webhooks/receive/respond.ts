import type { AcknowledgementStatus } from "../events.ts";
import type { Settings } from "../options.ts";
import type { WebhookAnswer } from "../types.ts";
import { type Deadline, sleep } from "./ack-deadline.ts";
import { acknowledge, acknowledgeRefusal } from "./acknowledgement.ts";
import type { Progress } from "./delivery-state.ts";

/** How a delivery is answered: as one of the three cases of §6.3, or refused for what it is. */
export type Answered = AcknowledgementStatus | "refused";

/** §6.3: an answer after seven seconds is a delayed one. */
const tooLateMs = 7_500;

/** The answer to a delivery: JSON of §6.3, and no word about what stands behind it (§6.5.3). */
export async function answer(
  answered: Answered,
  progress: Progress,
  deadline: Deadline,
  settings: Settings,
): Promise<WebhookAnswer> {
  if (answered === "FAILED" && settings.redeliverBy === "noAnswer") {
    await sleep(tooLateMs - deadline.elapsed());
  }
  const { event } = progress;
  const body =
    event === undefined || answered === "refused"
      ? acknowledgeRefusal(event ?? tryParse(progress.body))
      : acknowledge(event.client_referenceId, answered);
  return {
    status: statusOf(answered, settings),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** §8: always 200, unless the options say otherwise. */
function statusOf(answered: Answered, { refusalStatus, redeliverBy }: Settings): number {
  if (answered === "refused") return refusalStatus;
  return answered === "FAILED" && redeliverBy === "http500" ? 500 : 200;
}

/** A delivery that was refused before it was parsed is looked into for its reference alone, which is echoed. */
function tryParse(body: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
