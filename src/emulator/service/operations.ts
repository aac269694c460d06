import type { AreaName } from "../../area.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isOperation, type Operation } from "../../operation.ts";
import { aiStream, aiWhole } from "../ai/ai.ts";
import { booking } from "../flights/booking/book.ts";
import { quoting, ruling } from "../flights/fares.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { own, unknownName } from "../names.ts";
import type { Settings } from "../options.ts";
import { ownNotSuccess, wholeBody } from "../rules/bodies.ts";
import type { OperationName } from "../rules/names.ts";
import { complaint, successEnvelope } from "../rules/refusal.ts";
import { verification } from "../verification/verification.ts";
import type { Behaviour } from "./behaviour.ts";

export const behaviours: Readonly<Record<OperationName, Behaviour>> = {
  "verification.findVpas": verification,
  "ai.createResponse": aiWhole,
  "ai.stream": aiStream,
  "flights.fareQuote": quoting,
  "flights.fareRule": ruling,
  "flights.book": booking,
};

/** The operations of an emulator: those of the service, and those of the user that a rule was passed for. */
export class Operations {
  readonly #prefixes: Settings["pathPrefixes"];
  /** By name. Those of the user come first: one of them may share its path with one of the service. */
  #all: ReadonlyMap<string, Behaviour> = new Map(Object.entries(behaviours));

  constructor({ pathPrefixes }: Pick<Settings, "pathPrefixes">) {
    this.#prefixes = pathPrefixes;
  }

  get samples(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#all].map(([name, { samples }]) => [name, samples]));
  }

  /** Returns the behaviour that a rule is for; undefined for all operations. Throws for an unknown operation. */
  target(target: unknown): Behaviour | undefined {
    if (target === "*") return undefined;
    if (isOperation(target)) return this.#add(target as OwnOperation);
    if (typeof target !== "string") {
      throw new ConfigurationError(
        "emulator.on: the operation must be the name of one, `*`, or a value that `defineOperation` returned.",
      );
    }
    const found = this.#all.get(target);
    if (found !== undefined) return found;
    throw new ConfigurationError(`emulator.on: ${unknownName("operation", target, [...this.#all.keys(), "*"])}`);
  }

  /** An operation that is not of the service is added, or replaces the one of its name. */
  #add(operation: OwnOperation): Behaviour {
    const known = this.#all.get(operation.name);
    const isSame = known?.operation.path === operation.path && known.operation.area === operation.area;
    if (isSame && known === own<Behaviour>(behaviours, operation.name)) return known;
    const added = ownBehaviour(operation);
    this.#all = new Map([[operation.name, added], ...[...this.#all].filter(([name]) => name !== operation.name)]);
    return added;
  }

  find(path: string, body: unknown): Behaviour | undefined {
    return this.#at(path).find((each) => each.accepts?.(body) !== false);
  }

  knows(path: string): boolean {
    return this.#at(path).length > 0;
  }

  /** Returns the refusal of a path that belongs to no operation. It names the one whose base or prefix differs. */
  refuseUnknown(path: string): EmulatedResponse {
    const misplaced = [...this.#all.values()].find(({ operation }) => path.endsWith(`/${operation.path}`))?.operation;
    const hint =
      misplaced === undefined
        ? "For an operation of your own, call emulator.on(operation, response) first."
        : `${misplaced.name} is at ${this.#pathOf(misplaced)}. Compare \`baseUrl\` and \`pathPrefixes\`.`;
    // As a gateway would: neither a status nor a code of the service.
    return json(404, { error: `The emulator has no operation at ${path}. ${hint}` });
  }

  #at(path: string): readonly Behaviour[] {
    return [...this.#all.values()].filter(({ operation }) => this.#pathOf(operation) === path);
  }

  #pathOf({ area, path }: { readonly area: AreaName; readonly path: string }): string {
    const prefix = (own(this.#prefixes, area) ?? "").split("/").filter((step) => step !== "");
    // As `URL` writes the path of a request.
    return new URL([...prefix, path].join("/"), "http://emulator/").pathname;
  }
}

type OwnOperation = Operation<object, unknown>;

/** The behaviour of an operation whose responses are all those of rules. */
function ownBehaviour(operation: OwnOperation): Behaviour {
  const { name, area, body: schema } = operation;
  const success = successEnvelope(area);
  const whole = wholeBody({
    ...{ operation, samples: {}, schema, sample: success, success: () => success },
    notSuccess: (body) => ownNotSuccess(operation, body),
    refuse: () => {
      throw complaint(`The emulator has no rule for ${name}. Pass one: emulator.on(operation, response).`);
    },
  });
  return { ...whole, fields: undefined };
}
