import type * as z from "zod/v4/core";
import { elementsOf, isObject } from "../../../shared/json.ts";
import { pathOf } from "./shape.ts";

/** Returns the paths of fields that the schema of a response does not have. */
export function extraFields(schema: z.$ZodType, value: unknown, path: readonly (string | number)[] = []): string[] {
  const { def } = (schema as z.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return isObject(value) ? extraOfObject(def.shape, value, path) : [];
    case "array":
      return elementsOf(value).flatMap((element, index) => extraFields(def.element, element, [...path, index]));
    case "nullable":
    case "optional":
      return extraFields(def.innerType, value, path);
    default:
      return [];
  }
}

function extraOfObject(
  shape: Readonly<Record<string, z.$ZodType>>,
  value: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
): string[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return known === undefined ? [pathOf([...path, name])] : extraFields(known, inner, [...path, name]);
  });
}
