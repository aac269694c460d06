import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AreaName } from "../../area.ts";
import { aiStream, aiWhole } from "../ai/ai.ts";
import { booking } from "../flights/booking/book.ts";
import { quoting, ruling } from "../flights/fares.ts";
import { type JudgedOperation, ownNotSuccess, wholeBodies } from "../rules/bodies.ts";
import { verification } from "../verification/verification.ts";
import { type Behaviour, defineBehaviour, type EmulatedOperation } from "./behaviour.ts";
import { complaint, successEnvelope } from "./refusals.ts";
import type { Settings } from "./settings.ts";

/** The operation table (§4), each entry with its behaviour. */
export const behaviours: readonly Behaviour[] = [verification, aiWhole, aiStream, quoting, ruling, booking];

/** The operations of an emulator: those of the service, and those of the user that a rule was passed for. */
export class Operations {
  readonly #prefixes: Settings["pathPrefixes"];
  /** By name. Those of the user come first: one of them may share its path with one of the service. */
  #all: ReadonlyMap<string, Behaviour>;

  constructor({ pathPrefixes }: Pick<Settings, "pathPrefixes">) {
    this.#prefixes = pathPrefixes;
    this.#all = new Map(behaviours.map((behaviour) => [behaviour.operation.name, behaviour]));
  }

  get names(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** The names of the samples that can be requested, by operation. */
  get samples(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries([...this.#all].map(([name, { samples }]) => [name, samples]));
  }

  named(name: string): Behaviour | undefined {
    return this.#all.get(name);
  }

  /** Returns the behaviour of an operation. One that is not of the service is added, or replaces the one of its name. */
  add(operation: OwnOperation): Behaviour {
    const known = this.#all.get(operation.name);
    const isSame = known?.operation.path === operation.path && known.operation.area === operation.area;
    if (isSame && behaviours.includes(known)) return known;
    const own = ownBehaviour(operation);
    this.#all = new Map([[operation.name, own], ...[...this.#all].filter(([name]) => name !== operation.name)]);
    return own;
  }

  /** Returns the operation at a path that is for a body of this form. */
  find(path: string, body: unknown): Behaviour | undefined {
    return this.#at(path).find(({ accepts }) => accepts(body));
  }

  knows(path: string): boolean {
    return this.#at(path).length > 0;
  }

  /** Returns the path of the operation that an unknown path ends with, whose base or prefix differs. */
  misplaced(path: string): { readonly name: string; readonly path: string } | undefined {
    const found = [...this.#all.values()].find(({ operation }) => path.endsWith(`/${operation.path}`));
    return found && { name: found.operation.name, path: this.#pathOf(found.operation) };
  }

  #at(path: string): readonly Behaviour[] {
    return [...this.#all.values()].filter(({ operation }) => this.#pathOf(operation) === path);
  }

  #pathOf({ area, path }: { readonly area: AreaName; readonly path: string }): string {
    const prefix = ((Object.hasOwn(this.#prefixes, area) ? this.#prefixes[area] : undefined) ?? "")
      .split("/")
      .filter((step) => step !== "");
    // As `URL` writes the path of a request.
    return new URL([...prefix, path].join("/"), "http://emulator/").pathname;
  }
}

/** An operation of the user. */
export interface OwnOperation extends EmulatedOperation<unknown>, JudgedOperation {}

/** The behaviour of an operation whose responses are all those of rules. */
function ownBehaviour(operation: OwnOperation): Behaviour {
  const { name, area } = operation;
  const success = successEnvelope(area);
  return defineBehaviour<object>(
    { ...operation, params: operation.params as StandardSchemaV1<object> },
    {
      samples: [],
      respond: () => complaint(`The emulator has no rule for ${name}. Pass one: emulator.on(operation, response).`),
      bodies: {
        ...wholeBodies<object>({
          ...{ schema: operation.body, sample: success, success: () => success },
          notSuccess: (body) => ownNotSuccess(operation, body),
        }),
        fields: undefined,
      },
    },
  );
}
