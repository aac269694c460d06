import type { VpaResult } from "../../verification/types.ts";

/** Returns what a person should check before paying: the fields of a result that contradict each other, or are empty. */
export function contradictionsOf({ name, vpa, vpaList, count }: Partial<VpaResult>): readonly string[] {
  // A response that has drifted may have no list here.
  const list: readonly unknown[] | undefined = Array.isArray(vpaList) ? vpaList : undefined;
  const isUnlisted = list !== undefined && list.length > 0 && hasText(vpa) && !list.includes(vpa);
  return [
    ...(isUnlisted ? ["The VPA is not in the list of all VPAs."] : []),
    ...(typeof count === "number" && list !== undefined && count !== list.length
      ? ["The list has more or fewer VPAs than the service counts."]
      : []),
    ...(hasText(name) ? [] : ["The account has no name."]),
  ];
}

function hasText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
