/** The facts that decide whether a version is published. */
export interface Publication {
  readonly version: string;
  readonly changelog: string;
  /** The versions on npm; `undefined` if npm does not know the package. */
  readonly published: readonly string[] | undefined;
}

/** Returns whether the workflow is to publish a version, and why. */
export function isDue({ version, changelog, published }: Publication): { due: boolean; because: string } {
  const dated = changelog.includes(`\n## ${version}\n\nReleased `);
  const reasons = [
    // npm trusts a workflow for a package that exists.
    published === undefined && "npm does not know the package: publish its first version from your machine.",
    published?.includes(version) && `npm has ${version}.`,
    !dated && `CHANGELOG.md does not date ${version}.`,
  ].filter((reason) => typeof reason === "string");
  return { due: reasons.length === 0, because: reasons.join(" ") || `${version} is to be published.` };
}
