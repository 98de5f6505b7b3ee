import type { BoundedList } from './bounded-list.ts';
import { codeCell, codeSpan } from './code-span.ts';
import { type FailureGroup, failureGroups, resultsIn } from './failure-groups.ts';
import type { Limits } from './limits.ts';
import type { Links } from './links.ts';
import { errorItem, findingItem, indexItem, partialItem, resultItem, slowItem } from './markdown-entries.ts';
import { counted, grouped, passPercent, sharePercent, shownOf, speedPhrase } from './phrases.ts';
import type { ResultEntry, Summary } from './summary.ts';

/** A part of the page, without blank lines around it; empty when there is nothing to say. */
export type Section = string;

export function matrixTable({ matrix }: Summary, { rows }: Limits): Section {
  if (matrix.length === 0 || rows === 0) return '';
  const lines = matrix.slice(0, rows).map((row) => {
    const numbers = [row.pass, row.fail, row.error, row.review].map(grouped);
    return `| ${codeCell(row.task)} | ${codeCell(row.model)} | ${numbers.join(' | ')} | ${passPercent(row) ?? '–'} |`;
  });
  const more = matrix.length - lines.length;
  return [
    '| task | model | pass | fail | not evaluated | to review | pass rate |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...lines,
    ...(more > 0 ? ['', `_${counted(more, 'more row')}, none worse._`] : []),
  ].join('\n');
}

/** The worst failures in plain sight, the others folded. */
export function failureSections({ failures }: Summary, limits: Limits, links: Links): readonly Section[] {
  return resultSections({ title: 'Failures', others: 'Other failures', list: failures }, limits, links);
}

/** As plain to see as failures: a person must decide. */
export function reviewSections({ reviews }: Summary, limits: Limits, links: Links): readonly Section[] {
  return resultSections({ title: '⏸ To review', others: 'Others to review', list: reviews }, limits, links);
}

type Results = { readonly title: string; readonly others: string; readonly list: BoundedList<ResultEntry> };

function resultSections({ title, others, list: { total, kept } }: Results, limits: Limits, links: Links): readonly Section[] {
  if (total === 0 || limits.shown === 0) return [];
  const items = (groups: readonly FailureGroup[], first: number) =>
    groups.map((group, i) => resultItem(first + i, group, links)).join('\n');
  const groups = failureGroups(kept);
  const top = groups.slice(0, limits.shown);
  const rest = groups.slice(limits.shown, limits.shown + limits.folded);
  const inSight = resultsIn(top);
  const section = `#### ${title} (${shownOf(total, inSight)})\n\n${items(top, 1)}`;
  if (rest.length === 0) return [section];
  return [section, folded(`${others} (${shownOf(total - inSight, resultsIn(rest))})`, items(rest, top.length + 1))];
}

export function errorSection({ notEvaluated }: Summary, { errors }: Limits, links: Links): Section {
  if (notEvaluated.results === 0 || errors === 0) return '';
  const reasons = notEvaluated.reasons.map(({ reason, results }) => `${grouped(results)} × ${codeSpan(reason)}`).join(', ');
  const overview = notEvaluated.reasons.length > 1 ? `${reasons}\n\n` : '';
  const shown = notEvaluated.entries.kept.slice(0, errors);
  const more = notEvaluated.entries.total - shown.length;
  const items = [...shown.map((entry) => errorItem(entry, links)), ...(more > 0 ? [`- ${counted(more, 'more document')} or reasons`] : [])];
  const inSight = shown.reduce((sum, { results }) => sum + results, 0);
  return `#### Not evaluated (${shownOf(notEvaluated.results, inSight)})\n\n${overview}${items.join('\n')}`;
}

/** What was not in any prompt is no detail: a verdict does not speak of it. */
export function partialSection({ coverage: { partial } }: Summary, limits: Limits): Section {
  if (partial.total === 0 || limits.partial === 0) return '';
  const shown = partial.kept.slice(0, limits.partial);
  const more = partial.total - shown.length;
  const items = [...shown.map(partialItem), ...(more > 0 ? [`- ${counted(more, 'more document')} in results.jsonl`] : [])];
  return `#### Not evaluated in full (${counted(partial.total, 'document')})\n\n${items.join('\n')}`;
}

/** What passing and failing answers say. */
export function findingSection({ findings: { total, kept }, privacy }: Summary, limits: Limits): Section {
  if (total === 0 || limits.findings === 0) return '';
  if (privacy === 'none') return `Findings (${grouped(total)}): what they say is left out.`;
  const shown = kept.slice(0, limits.findings);
  return folded(`Findings (${shownOf(total, shown.length)})`, shown.map(findingItem).join('\n'));
}

export function warningSection({ documents: { warnings } }: Summary): Section {
  if (warnings.total === 0) return '';
  const items = warnings.kept.map(({ text, documents, total }) => {
    const more = total > documents.length ? ` and ${grouped(total - documents.length)} more` : '';
    return `- ${documents.map((document) => codeSpan(document)).join(', ')}${more} — ${codeSpan(text)}`;
  });
  return folded(`Document warnings (${shownOf(warnings.total, warnings.kept.length)})`, items.join('\n'));
}

export function configurationSection({ gate, models, manifest, version }: Summary): Section {
  const lines = [
    `- manifest ${codeSpan(manifest)} · aieval ${codeSpan(version)}`,
    `- gate: pass rate at least ${sharePercent(gate.minPassRate)}, at most ${sharePercent(gate.maxErrorRate)} not evaluated`,
    ...models.map((model) => `- model ${codeSpan(model.id)}: ${codeSpan(model.model)} (${codeSpan(model.provider)})`),
  ];
  return folded('Configuration', lines.join('\n'));
}

/** What differs from run to run although the answers do not; the last one, so that it is the only one that changes. */
export function speedSection({ models, slowest }: Summary, links: Links): Section {
  const speeds = models.flatMap((model) => (speedPhrase(model) === '' ? [] : [`- model ${codeSpan(model.id)}: ${speedPhrase(model)}`]));
  const calls = slowest.kept.map((entry) => slowItem(entry, links));
  const lines = [...speeds, ...(calls.length === 0 ? [] : ['', 'Slowest calls', '', ...calls])];
  return lines.length === 0 ? '' : folded('Speed and slowest calls', lines.join('\n').trimStart());
}

export function indexSection({ index }: Summary, links: Links): Section {
  const files = `${links.file('results.jsonl')} · ${links.file('manifest.resolved.json')} · ${codeSpan('aieval show ID')} prints all that is known of a job`;
  if (index.total === 0) return folded('Artifacts', files);
  const shown = index.kept.map((entry) => indexItem(entry, links));
  const more = index.total - shown.length;
  return folded(
    `Artifacts (${shownOf(index.total, shown.length)})`,
    [files, '', ...shown, ...(more > 0 ? [`- ${counted(more, 'more job')} in results.jsonl`] : [])].join('\n'),
  );
}

/** `title` is ours and holds no markup. */
function folded(title: string, body: string): Section {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}
