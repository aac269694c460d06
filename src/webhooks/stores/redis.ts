import { ConfigurationError } from "../../errors/request.ts";
import { causeOf, errorCodeOf } from "../../shared/error-code.ts";
import { isString, stringOf } from "../../shared/json.ts";
import { objectWith, type Rules, readArguments, readOptions, string } from "../../shared/options.ts";
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
  readArguments("redisStore", { client }, { client: objectWith("eval") });
  const given = readOptions("redisStore", options, rules);
  const { prefix = "serviceapi:webhooks:", retention = defaultRetention } = given;
  const run = async (method: keyof WebhookStore, key: string, ...args: string[]): Promise<unknown> => {
    const script = `${functions}return ${method}(unpack(ARGV))`;
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
      return readClaim(key, effect, await run("claim", key, effect, ...times, crypto.randomUUID()));
    },
    complete: async ({ key, effect, token }) =>
      (await run("complete", key, token, `${lifeOf(key, retention) ?? ""}`, effect)) === 1,
    release: async ({ key, token }) => void (await run("release", key, token)),
    recordConflict: async (key, effect) => void (await run("recordConflict", key, effect)),
    find: async (key) => readEntry(await run("find", key)),
    forget: async (key) => void (await run("forget", key, String(ninetyDays))),
  };
}

/** A function of Lua for each method, with the arguments behind the key; all of them are of one row, which is read first. */
const functions = `
local state, effect, token, leasedUntil, by, takenOver = unpack(redis.call('HMGET', KEYS[1],
  'state', 'effect', 'token', 'until', 'by', 'takenOver'))
local unreadable = redis.error_reply('UNREADABLE row')
-- A row in a state that is not known may be done: it must not read as free.
local isKnown = not state or state == 'free' or state == 'claimed' or state == 'done'
-- Beyond 2^53, the next token would be the same.
local isToken = token and string.match(token, '^%d+$') and tonumber(token) < 9007199254740991

-- Sets how many milliseconds the row lives; indefinitely if empty.
local function live(life)
  if life == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], life) end
end

-- The state and the effect, then the conflicts: in a table, because unpack ends at 8,000.
local function entry()
  local found = {state, effect}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 9) == 'conflict:' then found[#found + 1] = string.sub(field, 10) end
  end
  return found
end

-- The token is larger than the one before; if Redis has deleted that, it is the time in microseconds.
--
-- A client may send a claim again whose reply was lost with the connection (ioredis does): by its ID, which is new for
-- each call, it is granted again. The ID is kept with the token, because a process that runs an earlier version leaves
-- that of another claim.
local function claim(claimed, lease, life, id)
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  if not isKnown then return unreadable end
  if state == 'done' then return entry() end
  if token and not isToken then return unreadable end
  if state == 'claimed' then
    if token and by == id .. ' ' .. token then
      redis.call('HSET', KEYS[1], 'until', now + lease)
      return {'claimed', token, tonumber(takenOver)}
    end
    local ends = tonumber(leasedUntil)
    if not ends or ends ~= ends then return unreadable end
    if ends > now then return {'inFlight'} end
  end
  local larger = string.format('%.0f', math.max(time[1] * 1000000 + time[2], (tonumber(token) or 0) + 1))
  local isTakenOver = state == 'claimed' and 1 or 0
  redis.call('HSET', KEYS[1], 'state', 'claimed', 'effect', claimed, 'token', larger, 'until', now + lease,
    'by', id .. ' ' .. larger, 'takenOver', isTakenOver)
  live(life)
  return {'claimed', larger, isTakenOver}
end

local function complete(claimed, life, done)
  if token ~= claimed or state == 'free' then return 0 end
  if state == 'done' then return 1 end
  redis.call('HSET', KEYS[1], 'state', 'done', 'effect', done)
  redis.call('HDEL', KEYS[1], 'by', 'takenOver')
  live(life)
  return 1
end

local function release(claimed)
  if token == claimed and state == 'claimed' then redis.call('HSET', KEYS[1], 'state', 'free') end
end

local function recordConflict(conflict)
  if state == 'done' then redis.call('HSET', KEYS[1], 'conflict:' .. conflict, 1) end
end

-- Nothing for a key that is free.
local function find()
  if not isKnown then return unreadable end
  return (state == 'done' or state == 'claimed') and entry() or {}
end

-- Keeps only the token, if the next can count on from it, so that an older claim cannot be mistaken for a newer one.
local function forget(life)
  redis.call('DEL', KEYS[1])
  if isToken then
    redis.call('HSET', KEYS[1], 'state', 'free', 'token', token)
    live(life)
  end
end
`;

function readClaim(key: string, effect: string, reply: unknown): ClaimResult {
  const [kind, value, flag]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (kind === "inFlight") return { kind };
  if (kind === "claimed") {
    // A client that decodes JSON makes a number of a token.
    const isToken = isString(value) || Number.isSafeInteger(value);
    if (!isToken || (flag !== 0 && flag !== 1)) throw new ConfigurationError(unexpected);
    return { kind, claim: { key, effect, token: `${value}` }, takenOver: flag === 1 };
  }
  const entry = readEntry(reply);
  if (entry?.state !== "done") throw new ConfigurationError(unexpected);
  return resultOf(entry);
}

function readEntry(reply: unknown): StoreEntry | undefined {
  const [state, effect, ...conflicts]: readonly unknown[] = Array.isArray(reply) ? reply : [null];
  return state === undefined ? undefined : entryOf(unexpected, state, effect, conflicts);
}

const unexpected =
  "redisStore: Redis returned an unexpected reply. Pass a client that does not convert replies, and that is not in Buffer mode.";

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
