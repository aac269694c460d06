import responseFailed200 from "../samples/ai/response-failed-200.json" with { type: "json" };
import responseFailedExpiredContext from "../samples/ai/response-failed-expired-context.json" with { type: "json" };
import responseWholeFollowUpHindi from "../samples/ai/response-whole-follow-up-hindi.json" with { type: "json" };
import responseWholeMarkdown from "../samples/ai/response-whole-markdown.json" with { type: "json" };
import streamAnsweredAsOneBody from "../samples/ai/stream-answered-as-one-body.json" with { type: "json" };
import streamDuplicateSequence from "../samples/ai/stream-duplicate-sequence.events.json" with { type: "json" };
import streamEmptyOutput from "../samples/ai/stream-empty-output.events.json" with { type: "json" };
import streamFailedMidway from "../samples/ai/stream-failed-midway.events.json" with { type: "json" };
import streamFinalTextDiffers from "../samples/ai/stream-final-text-differs.events.json" with { type: "json" };
import streamFirstChunksSwapped from "../samples/ai/stream-first-chunks-swapped.events.json" with { type: "json" };
import streamHindiEmoji from "../samples/ai/stream-hindi-emoji.events.json" with { type: "json" };
import streamLoneSurrogates from "../samples/ai/stream-lone-surrogates.events.json" with { type: "json" };
import streamMarkdown from "../samples/ai/stream-markdown.events.json" with { type: "json" };
import streamOutOfOrder from "../samples/ai/stream-out-of-order.events.json" with { type: "json" };
import streamSequenceStartsAt4WithGaps from "../samples/ai/stream-sequence-starts-at-4-with-gaps.events.json" with {
  type: "json",
};
import streamTruncated from "../samples/ai/stream-truncated.events.json" with { type: "json" };
import streamUnknownEvent from "../samples/ai/stream-unknown-event.events.json" with { type: "json" };
import { catalogue } from "./sample.ts";
import type { AiBodyName, AiStreamName } from "./scenario-names.ts";

/** An event of a sample. */
export type SampleEvent = Readonly<Record<string, unknown>>;

/** Streams by name (§6.1). Most of them show cases on which the document is silent. */
export const aiStreams: Readonly<Record<AiStreamName, readonly SampleEvent[]>> = {
  "stream-duplicate-sequence": streamDuplicateSequence,
  "stream-empty-output": streamEmptyOutput,
  "stream-failed-midway": streamFailedMidway,
  "stream-final-text-differs": streamFinalTextDiffers,
  "stream-first-chunks-swapped": streamFirstChunksSwapped,
  "stream-hindi-emoji": streamHindiEmoji,
  "stream-lone-surrogates": streamLoneSurrogates,
  "stream-markdown": streamMarkdown,
  "stream-out-of-order": streamOutOfOrder,
  "stream-sequence-starts-at-4-with-gaps": streamSequenceStartsAt4WithGaps,
  "stream-truncated": streamTruncated,
  "stream-unknown-event": streamUnknownEvent,
};

/** Bodies that are not streamed by name (§2.3). */
export const aiBodies = catalogue<AiBodyName>({
  "response-failed-200": [200, responseFailed200],
  "response-failed-expired-context": [404, responseFailedExpiredContext],
  "response-whole-follow-up-hindi": [200, responseWholeFollowUpHindi],
  "response-whole-markdown": [200, responseWholeMarkdown],
  "stream-answered-as-one-body": [200, streamAnsweredAsOneBody],
});
