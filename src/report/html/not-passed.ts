import { type FailureGroup, failureGroups } from '../failure-groups.ts';
import { counted, grouped, repeatsPhrase, shownOf } from '../phrases.ts';
import type { ErrorEntry, JobRef, ResultEntry, Summary } from '../summary.ts';
import { checkItem } from './check-item.ts';
import { escaped, escapedHtml } from './escaped.ts';

const SHORT_ID = 8;
const MODELS_SHOWN = 8;

/**
 * The results that did not pass, as lines of HTML: failures and doubts by document, what several models have in common once; then what was
 * not evaluated, by reason. `base`: begins the links into job folders; `null` for none.
 */
export function notPassed({ failures, reviews, notEvaluated }: Summary, base: string | null): readonly string[] {
  const lines = [...results('Failures', failures, base), ...results('To review', reviews, base), ...errors(notEvaluated, base)];
  return lines.length === 0 ? [] : ['<div class="not-passed">', ...lines, '</div>'];
}

/** Counts are results; what is said once may be several. */
function part(title: string, total: number, inSight: number, content: readonly string[]): string[] {
  if (total === 0) return [];
  const more = total > inSight ? [`<p>… ${grouped(total - inSight)} more, in results.jsonl.</p>`] : [];
  return [`<h2>${title} (${shownOf(total, inSight)})</h2>`, ...content, ...more];
}

function results(title: string, { total, kept }: Summary['failures'], base: string | null): string[] {
  const documents = listsBy(failureGroups(kept), ({ entries: [{ document }] }) => document);
  const content = [...documents].flatMap(([document, groups]) => [
    `<h3>${escaped(document)}</h3>`,
    '<ul>',
    ...groups.map((group) => resultItem(group, base)),
    '</ul>',
  ]);
  return part(title, total, kept.length, content);
}

function resultItem({ entries, checks }: FailureGroup, base: string | null): string {
  const [{ task, verdict }] = entries;
  const models = entries.slice(0, MODELS_SHOWN).map((entry) => modelName(entry, base));
  const more = entries.length > MODELS_SHOWN ? `, ${grouped(entries.length - MODELS_SHOWN)} more` : '';
  const head = `<p><b>${escaped(task)}</b> · ${models.join(', ')}${more}</p>`;
  return `<li class="is-${verdict}">${head}<ul>${checks.map((check) => checkItem(check, verdict)).join('')}</ul></li>`;
}

function modelName(entry: ResultEntry, base: string | null): string {
  return `${escaped(entry.model)} ${jobLink(entry, base)}${repeatsPhrase(entry)}`;
}

function errors({ results: total, reasons, entries: { kept } }: Summary['notEvaluated'], base: string | null): string[] {
  const byReason = listsBy(kept, ({ reason }) => reason);
  const content = reasons.flatMap(({ reason, results: times }) => {
    const entries = byReason.get(reason) ?? [];
    if (entries.length === 0) return [];
    const items = entries.map((entry) => errorItem(entry, base));
    return [`<h3><code>${escaped(reason)}</code> · ${counted(times, 'result')}</h3>`, '<ul>', ...items, '</ul>'];
  });
  const inSight = kept.reduce((sum, { results: times }) => sum + times, 0);
  return part('Not evaluated', total, inSight, content);
}

/** A document that cannot be read is the same to every task and model. */
function errorItem(entry: ErrorEntry, base: string | null): string {
  const { document, task, model, reason, message, results: times } = entry;
  const who = reason.startsWith('document_') ? '' : ` · ${escaped(task)} · ${escaped(model)}`;
  const count = times > 1 ? ` (${counted(times, 'result')})` : '';
  const said = message === '' ? '' : `<p>${escaped(message)}</p>`;
  return `<li class="is-error"><p><b>${escaped(document)}</b>${who} ${jobLink(entry, base)}${count}</p>${said}</li>`;
}

function jobLink({ jobId, artifacts }: JobRef, base: string | null): string {
  const name = `<code>${escaped(jobId.slice(0, SHORT_ID))}</code>`;
  return base === null || artifacts === null ? name : `<a href="${escapedHtml(`${base}${artifacts}/`)}" rel="noreferrer">${name}</a>`;
}

function listsBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const lists = new Map<string, Item[]>();
  for (const item of items) lists.set(keyOf(item), [...(lists.get(keyOf(item)) ?? []), item]);
  return lists;
}
