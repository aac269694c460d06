import { ConfigurationError } from "../../errors/request.ts";
import { causeOf, errorCodeOf } from "../../shared/error-code.ts";
import { isString, stringOf } from "../../shared/json.ts";
import { objectWith, type Rules, readOptions, string } from "../../shared/options.ts";
import { processingError } from "../processing-errors.ts";
import { defaultRetention, entryOf, lifeOf, ninetyDays, resultOf, retention } from "./record.ts";
import type { ClaimResult, StoreEntry, WebhookStore } from "./store.ts";

/** The methods used of an ioredis client or cluster. */
export interface IoRedisLike {
  /** Runs a Lua script: the number of keys, the keys, then the arguments. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  /** Distinguishes an ioredis client from a node-redis one. */
  defineCommand: unknown;
}

/** The method used of a node-redis client, pool or cluster. */
export interface NodeRedisLike {
  /** Runs a Lua script with keys and arguments. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of {@link redisStore}. */
interface RedisStoreOptions {
  /** Prefix of the keys. @default "serviceapi:webhooks:" */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds for which a finished reference is kept: at least an hour, or `Infinity`. A delivery that comes later
   * takes effect again, unless `findOrder` returns `settled: true`. @default 7_776_000_000 (90 days)
   */
  readonly retention?: number | undefined;
}

const rules: Rules<RedisStoreOptions> = { prefix: string, retention };

/**
 * Returns a store in Redis 5 or later, for ioredis or node-redis. Each method is one Lua script on one key, so it is
 * atomic and works in a cluster; leases use Redis's own clock.
 *
 * A failover of Redis can lose the latest writes, and a payout may then run again. If that is not acceptable, use
 * `postgresStore` and commit the claim together with your own write.
 *
 * @param client - Your connected client. You close it yourself.
 * @param options - See {@link RedisStoreOptions}.
 * @throws ConfigurationError for an unknown option, an invalid value, or a client without `eval`. Its methods throw a
 *   WebhookProcessingError (`storeFailed`) if Redis fails.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { Webhooks } from "serviceapi/webhooks";
 * import { redisStore } from "serviceapi/stores";
 *
 * const webhooks = new Webhooks({ store: redisStore(new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1")) });
 * ```
 */
export function redisStore(client: IoRedisLike | NodeRedisLike, options: RedisStoreOptions = {}): WebhookStore {
  readOptions("redisStore", { client }, { client: objectWith("eval") }, ["client"]);
  const given = readOptions("redisStore", options, rules);
  const { prefix = "serviceapi:webhooks:", retention = defaultRetention } = given;
  /** Returns the lifetime of a finished row; an empty string means indefinitely. */
  const life = (key: string) => String(lifeOf(key, retention) ?? "");
  const run = async (script: string, key: string, ...args: string[]): Promise<unknown> => {
    try {
      return await ("defineCommand" in client
        ? client.eval(script, 1, prefix + key, ...args)
        : client.eval(script, { keys: [prefix + key], arguments: args }));
    } catch (error) {
      const message = `redisStore: ${explainRedisFailure(error)}`;
      throw processingError("storeFailed", undefined, causeOf(error), message);
    }
  };
  return {
    async claim(key, { effect, lease }) {
      const times = [lease, lease + ninetyDays].map(String);
      return readClaim(key, effect, await run(claimScript, key, effect, ...times, crypto.randomUUID()));
    },
    complete: async ({ key, effect, token }) => (await run(completeScript, key, token, life(key), effect)) === 1,
    async release({ key, token }) {
      await run(releaseScript, key, token);
    },
    async recordConflict(key, effect) {
      await run(recordConflictScript, key, effect);
    },
    find: async (key) => readEntry(await run(findScript, key)),
    async forget(key) {
      await run(forgetScript, key, String(ninetyDays));
    },
  };
}

/** Sets how many milliseconds the row lives; indefinitely if empty. */
const setLife = `
local function live(life)
  if life == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], life) end
end`;

/** A row in a state that is not known may be done: it must not read as free. */
const readState = `
local unreadable = redis.error_reply('UNREADABLE row')
local function isKnown(state) return not state or state == 'free' or state == 'claimed' or state == 'done' end`;

/** The state and the effect, then the conflicts: in a table, because `unpack` ends at 8,000. */
const readEntryScript = `
local function entry(state, effect)
  local found = {state, effect}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 9) == 'conflict:' then found[#found + 1] = string.sub(field, 10) end
  end
  return found
end`;

/** Beyond 2^53, the next token would be the same. */
const readToken = `
local function isToken(text) return string.match(text, '^%d+$') and tonumber(text) < 9007199254740991 end`;

/**
 * The token is larger than the one before; if Redis has deleted that, it is the time in microseconds.
 *
 * A client may send a claim again whose reply was lost with the connection (ioredis does): by its ID, which is new for
 * each call, it is granted again. The ID is kept with the token, because a process that runs an earlier version leaves
 * that of another claim.
 */
const claimScript = `${setLife}${readState}${readToken}${readEntryScript}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local row = redis.call('HMGET', KEYS[1], 'state', 'effect', 'token', 'until', 'by', 'takenOver')
if not isKnown(row[1]) then return unreadable end
if row[1] == 'done' then return entry('done', row[2]) end
if row[3] and not isToken(row[3]) then return unreadable end
if row[1] == 'claimed' then
  if row[3] and row[5] == ARGV[4] .. ' ' .. row[3] then
    redis.call('HSET', KEYS[1], 'until', now + ARGV[2])
    return {'claimed', row[3], tonumber(row[6])}
  end
  local leasedUntil = tonumber(row[4])
  if not leasedUntil or leasedUntil ~= leasedUntil then return unreadable end
  if leasedUntil > now then return {'inFlight'} end
end
local token = string.format('%.0f', math.max(time[1] * 1000000 + time[2], (tonumber(row[3]) or 0) + 1))
local takenOver = row[1] == 'claimed' and 1 or 0
redis.call('HSET', KEYS[1], 'state', 'claimed', 'effect', ARGV[1], 'token', token, 'until', now + ARGV[2],
  'by', ARGV[4] .. ' ' .. token, 'takenOver', takenOver)
live(ARGV[3])
return {'claimed', token, takenOver}`;

const completeScript = `${setLife}
local row = redis.call('HMGET', KEYS[1], 'token', 'state')
if row[1] ~= ARGV[1] or row[2] == 'free' then return 0 end
if row[2] == 'done' then return 1 end
redis.call('HSET', KEYS[1], 'state', 'done', 'effect', ARGV[3])
redis.call('HDEL', KEYS[1], 'by', 'takenOver')
live(ARGV[2])
return 1`;

const releaseScript = `
local row = redis.call('HMGET', KEYS[1], 'token', 'state')
if row[1] == ARGV[1] and row[2] == 'claimed' then redis.call('HSET', KEYS[1], 'state', 'free') end
return 1`;

const recordConflictScript = `
if redis.call('HGET', KEYS[1], 'state') == 'done' then redis.call('HSET', KEYS[1], 'conflict:' .. ARGV[1], 1) end
return 1`;

/** The state, then the effects; nothing for a key that is free. */
const findScript = `${readState}${readEntryScript}
local row = redis.call('HMGET', KEYS[1], 'state', 'effect')
if not isKnown(row[1]) then return unreadable end
if row[1] ~= 'done' and row[1] ~= 'claimed' then return {} end
return entry(row[1], row[2])`;

/** Keeps only the token, if the next can count on from it, so that an older claim cannot be mistaken for a newer one. */
const forgetScript = `${setLife}${readToken}
local token = redis.call('HGET', KEYS[1], 'token')
redis.call('DEL', KEYS[1])
if token and isToken(token) then
  redis.call('HSET', KEYS[1], 'state', 'free', 'token', token)
  live(ARGV[1])
end
return 1`;

function readClaim(key: string, effect: string, reply: unknown): ClaimResult {
  const [kind, value, flag]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (kind === "inFlight") return { kind };
  if (kind === "claimed") {
    // A client that decodes JSON makes a number of a token.
    const isToken = isString(value) || Number.isSafeInteger(value);
    if (!isToken || (flag !== 0 && flag !== 1)) throw unreadableReply();
    return { kind, claim: { key, effect, token: `${value}` }, takenOver: flag === 1 };
  }
  const entry = readEntry(reply);
  if (entry?.state !== "done") throw unreadableReply();
  return resultOf(entry);
}

function readEntry(reply: unknown): StoreEntry | undefined {
  const [state, effect, ...conflicts]: readonly unknown[] = Array.isArray(reply) ? reply : [null];
  if (state === undefined) return undefined;
  const entry = entryOf(state, effect, conflicts);
  if (entry === undefined) throw unreadableReply();
  return entry;
}

function unreadableReply(): ConfigurationError {
  return new ConfigurationError(
    "redisStore: Redis returned an unexpected reply. Pass a client that does not convert replies, and that is not in Buffer mode.",
  );
}

/** Returns what a failure of Redis, or of the connection to it, means and what to do, without a value or a host. */
function explainRedisFailure(error: unknown): string {
  const { message, name }: { readonly message?: unknown; readonly name?: unknown } = Object(error);
  const code = errorCodeOf(error);
  const text = [code, stringOf(name), stringOf(message)].join(" ");
  const [, explanation] = failures.find(([pattern]) => pattern.test(text)) ?? [];
  return explanation ?? `Redis or its client failed${code === "" ? "" : ` (${code})`}. See \`cause\`.`;
}

/** The first word of a reply is the code of the error; clients have their own messages for a lost connection. */
const failures: readonly (readonly [pattern: RegExp, explanation: string])[] = [
  [/\b(NOAUTH|WRONGPASS)\b/, "Redis refused the user name or password. Check the credentials of the client."],
  [/\bNOPERM\b/, "The Redis user has no permission for this. Grant it `eval` and the keys with `prefix`."],
  [/\bREADONLY\b/, "This Redis is read-only, as a replica is. Connect the client to the primary."],
  [/\bOOM\b/, "Redis has no memory left. Give it more, then try again."],
  [/\b(LOADING|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY)\b/, "Redis is not ready. Try again later."],
  [/\bWRONGTYPE\b/, "A key with `prefix` has another type. Choose another `prefix`."],
  [
    /\bUNREADABLE\b/,
    "The row of this reference cannot be read: another program or a newer version has written to it. Find out whether it took effect. `webhooks.forget` removes the row, and the next delivery then takes effect.",
  ],
  [
    /\bcommand timed out\b/i,
    "Redis did not respond within the command timeout of the client. Find out what keeps it busy.",
  ],
  [/\bERR_INVALID_URL\b/, "The URL of the client is invalid. Encode special characters in the password."],
  [
    /\b(ECONN\w+|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|MaxRetriesPerRequestError)\b|Connection is closed|isn't writeable|client is closed|client is offline|Socket closed|Connection timeout/i,
    "Redis cannot be reached. Check that it is running, and the host and port of the client.",
  ],
];
