import type { Finding } from '../domain/score.ts';
import type { CheckEntry, ResultEntry } from './summary.ts';

/** Results of one document that failed the same checks of a task, with several models: one thing to look at. */
export type FailureGroup = { readonly entries: readonly [ResultEntry, ...ResultEntry[]]; readonly checks: readonly GroupedCheck[] };

/** A check with the different explanations it came with; each quote stands here once. */
export type GroupedCheck = Omit<CheckEntry, 'explanation'> & { readonly explanations: readonly string[] };

/** Groups keep the order of their first results. */
export function failureGroups(results: readonly ResultEntry[]): readonly FailureGroup[] {
  const groups = new Map<string, [ResultEntry, ...ResultEntry[]]>();
  for (const entry of results) {
    const key = JSON.stringify([entry.document, entry.task, ...entry.checks.map(({ check, verdict }) => [check, verdict])]);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [entry]);
    else others.push(entry);
  }
  return [...groups.values()].map((entries) => ({ entries, checks: entries[0].checks.map((_, place) => merged(entries, place)) }));
}

/** How many results the groups are. */
export function resultsIn(groups: readonly FailureGroup[]): number {
  return groups.reduce((sum, { entries }) => sum + entries.length, 0);
}

/** The results failed the same checks in the same order. */
function merged(entries: FailureGroup['entries'], place: number): GroupedCheck {
  const checks = entries.flatMap(({ checks: each }) => each[place] ?? []);
  const { check = '', verdict = 'fail' } = checks[0] ?? {};
  return {
    check,
    verdict,
    explanations: [...new Set(checks.map(({ explanation }) => explanation).filter((text) => text !== ''))],
    findings: listOf(
      checks.map(({ findings }) => findings),
      quoteKey,
    ),
    absences: listOf(
      checks.map(({ absences }) => absences),
      ({ at }) => at,
    ),
  };
}

function quoteKey({ quote, evidence: { status, reason, position } }: Finding): string {
  return JSON.stringify([quote, status, reason, position?.start ?? null, position?.end ?? null]);
}

/** Of what is not kept nobody knows whether it is the same. */
function listOf<T>(lists: readonly { readonly total: number; readonly kept: readonly T[] }[], keyOf: (item: T) => string) {
  const unlike = new Map<string, T>();
  for (const item of lists.flatMap(({ kept }) => kept)) if (!unlike.has(keyOf(item))) unlike.set(keyOf(item), item);
  const unkept = lists.reduce((sum, { total, kept }) => sum + total - kept.length, 0);
  return { total: unlike.size + unkept, kept: [...unlike.values()] };
}
