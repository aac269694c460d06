import { WebhookPayloadError } from "../../../errors/webhook.ts";
import { joinChunks } from "../../../shared/bytes.ts";
import { alreadyParsed, cut, tooLarge } from "./body-errors.ts";
import { startTimeout } from "./body-timeout.ts";
import { type ByteSource, openSource } from "./byte-source.ts";

/** Maximum size of a body, and maximum time to read it. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeout: number;
}

/**
 * Returns the raw bytes of a body (docs/assumptions.md, W7), without a promise if they are there already.
 *
 * @param source - A string, bytes, or a stream of bytes; anything else was already parsed, and is refused with advice.
 * @param declared - The header `content-length`, if there is one: a body with fewer bytes was cut.
 */
export function readBody(
  source: unknown,
  limits: BodyLimits,
  declared?: string | undefined,
): Uint8Array | Promise<Uint8Array> {
  const bytes = immediateBytes(source);
  if (bytes !== undefined) {
    if (bytes.length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
    return bytes;
  }
  const length = readLength(declared);
  if (length !== undefined && length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
  return collect(openSource(source), limits, length);
}

const noBytes = new Uint8Array(0);

function immediateBytes(source: unknown): Uint8Array | undefined {
  if (source === undefined || source === null) return noBytes;
  if (typeof source === "string") return new TextEncoder().encode(source);
  if (source instanceof Uint8Array) return source;
  // Not `instanceof` alone: Jest gives test files a Uint8Array of their own.
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined;
}

/** Undefined for an invalid header: the bytes themselves are counted in any case. */
function readLength(declared: string | undefined): number | undefined {
  return declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : undefined;
}

async function collect(source: ByteSource, limits: BodyLimits, declared: number | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const timeout = startTimeout(limits.bodyTimeout);
  try {
    for (;;) {
      const { done, value } = await timeout.race(source.next());
      if (done) break;
      const chunk = typeof value === "string" ? new TextEncoder().encode(value) : value;
      if (!isBytes(chunk)) throw alreadyParsed();
      length += chunk.length;
      if (length > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    source.cancel();
    throw WebhookPayloadError.isInstance(error) ? error : cut();
  } finally {
    timeout.stop();
  }
  if (declared !== undefined && length < declared) throw cut();
  return joinChunks(chunks);
}

function isBytes(chunk: unknown): chunk is Uint8Array {
  return ArrayBuffer.isView(chunk) && "length" in chunk;
}
