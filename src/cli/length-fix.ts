import type { ResolvedManifest } from '../domain/manifest/resolved.ts';

/** What may be changed in the manifest so that what was too long for this model is asked. */
export function lengthFix({ models, providers }: Pick<ResolvedManifest, 'models' | 'providers'>, modelId: string): string {
  const model = models[modelId];
  const provider = model === undefined ? undefined : providers[model.provider];
  const limits = [
    ...(model === undefined || model.contextTokens === null ? [] : [`models.${modelId}.contextTokens`]),
    ...(provider === undefined || provider.tokensPerMinute === null ? [] : [`providers.${provider.id}.limits.tokensPerMinute`]),
  ];
  const shorter = `lower models.${modelId}.params.maxOutputTokens`;
  return limits.length === 0 ? `shorten the document or ${shorter}` : `raise ${limits.join(' or ')} or ${shorter}`;
}
