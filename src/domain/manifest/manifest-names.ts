/** What a manifest is called, the usual name first. */
export const MANIFEST_NAMES: readonly string[] = ['manifest.json', 'manifest.jsonc', 'manifest.yaml', 'manifest.yml'];
