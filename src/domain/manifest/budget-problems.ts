import type { Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { ResolvedManifest, ResolvedModel } from './resolved.ts';
import { problemWithValue, type Source } from './source.ts';

/**
 * What keeps a budget from being enforced: a model whose call may cost or use anything. A limit that cannot trip is none. `usdBound`
 * is how the person stated the bound in USD.
 */
export function budgetProblems(source: Source, manifest: ResolvedManifest, usdBound: string): Problem[] {
  const { budget } = manifest;
  if (budget === null) return [];
  const inUsd = budget.usd === null ? (budget.group === null ? null : 'budget.group') : usdBound;
  return usedModels(manifest).flatMap((model) => {
    const bound = (model.price === 'free' ? null : inUsd) ?? (budget.tokens === null ? null : 'budget.tokens');
    return [
      ...(inUsd === null || model.price !== null ? [] : [unpriced(source, model, inUsd)]),
      ...(bound === null || model.params.maxOutputTokens !== undefined ? [] : [unbounded(source, model, bound)]),
    ];
  });
}

function usedModels({ models, tasks }: ResolvedManifest): ResolvedModel[] {
  const named = Object.values(tasks).map((task) => task.models);
  return Object.values(models).filter(({ id }) => named.some((names) => names === null || names.includes(id)));
}

function unpriced(source: Source, { id }: ResolvedModel, bound: string): Problem {
  const path: Path = ['models', id, 'price'];
  const what = `price of model ${JSON.stringify(id)} unknown, so ${bound} cannot be enforced`;
  return problemWithValue(source, {
    code: 'E19',
    path,
    what,
    hint: `state models.${id}.price in the manifest; "free" for a server of your own`,
  });
}

function unbounded(source: Source, { id }: ResolvedModel, bound: string): Problem {
  const path: Path = ['models', id, 'params', 'maxOutputTokens'];
  const what = `longest answer of model ${JSON.stringify(id)} unknown (params.maxOutputTokens), so ${bound} cannot be enforced`;
  return problemWithValue(source, { code: 'E19', path, what, hint: `state models.${id}.params.maxOutputTokens in the manifest` });
}
