import { codeCell, codeSpan } from './code-span.ts';
import type { Limits } from './limits.ts';
import type { Links } from './links.ts';
import { errorItem, indexItem, partialItem, resultItem, slowItem } from './markdown-entries.ts';
import { counted, grouped, passPercent, sharePercent, speedPhrase } from './phrases.ts';
import type { ModelEntry, ResultEntry, Summary } from './summary.ts';

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
  if (failures.total === 0 || limits.failures === 0) return [];
  const items = (entries: readonly ResultEntry[], first: number) =>
    entries.map((entry, i) => resultItem(first + i, entry, links)).join('\n');
  const top = failures.kept.slice(0, limits.failures);
  const others = failures.kept.slice(limits.failures, limits.failures + limits.otherFailures);
  const title = `#### Failures (${shownOf(failures.total, top.length)})\n\n${items(top, 1)}`;
  if (others.length === 0) return [title];
  return [title, folded(`Other failures (${shownOf(failures.total - top.length, others.length)})`, items(others, top.length + 1))];
}

export function errorSection({ notEvaluated }: Summary, { errors }: Limits, links: Links): Section {
  if (notEvaluated.results === 0 || errors === 0) return '';
  const reasons = notEvaluated.reasons.map(({ reason, results }) => `${grouped(results)} × ${codeSpan(reason)}`).join(', ');
  const overview = notEvaluated.reasons.length > 1 ? `${reasons}\n\n` : '';
  const shown = notEvaluated.entries.kept.slice(0, errors);
  const more = notEvaluated.entries.total - shown.length;
  const items = [...shown.map((entry) => errorItem(entry, links)), ...(more > 0 ? [`- ${counted(more, 'more document')} or reasons`] : [])];
  return `#### Not evaluated (${grouped(notEvaluated.results)})\n\n${overview}${items.join('\n')}`;
}

export function reviewSection({ reviews }: Summary, limits: Limits, links: Links): Section {
  if (reviews.total === 0 || limits.reviews === 0) return '';
  const shown = reviews.kept.slice(0, limits.reviews);
  const items = shown.map((entry, i) => resultItem(i + 1, entry, links));
  return folded(`To review (${shownOf(reviews.total, shown.length)}): a person must decide`, items.join('\n'));
}

/** What was not in any prompt is no detail: a verdict does not speak of it. */
export function partialSection({ coverage: { partial } }: Summary, limits: Limits): Section {
  if (partial.total === 0 || limits.partial === 0) return '';
  const shown = partial.kept.slice(0, limits.partial);
  const more = partial.total - shown.length;
  const items = [...shown.map(partialItem), ...(more > 0 ? [`- ${counted(more, 'more document')} in results.jsonl`] : [])];
  return `#### Not evaluated in full (${counted(partial.total, 'document')})\n\n${items.join('\n')}`;
}

export function warningSection({ documents: { warnings } }: Summary): Section {
  if (warnings.total === 0) return '';
  const items = warnings.kept.map(({ text, documents, total }) => {
    const more = total > documents.length ? ` and ${grouped(total - documents.length)} more` : '';
    return `- ${documents.map((document) => codeSpan(document)).join(', ')}${more} — ${codeSpan(text)}`;
  });
  return folded(`Document warnings (${shownOf(warnings.total, warnings.kept.length)})`, items.join('\n'));
}

export function configurationSection(summary: Summary, links: Links): Section {
  const { gate, models, slowest, manifest, version } = summary;
  const lines = [
    `- manifest ${codeSpan(manifest)} · aieval ${codeSpan(version)}`,
    `- gate: pass rate at least ${sharePercent(gate.minPassRate)}, at most ${sharePercent(gate.maxErrorRate)} not evaluated`,
    ...models.map((model) => `- model ${codeSpan(model.id)}: ${codeSpan(model.model)} (${codeSpan(model.provider)})${speedOf(model)}`),
  ];
  const calls = slowest.kept.length === 0 ? [] : ['', 'Slowest calls', '', ...slowest.kept.map((entry) => slowItem(entry, links))];
  return folded('Configuration and slowest calls', [...lines, ...calls].join('\n'));
}

function speedOf(model: ModelEntry): string {
  const phrase = speedPhrase(model);
  return phrase === '' ? '' : ` · ${phrase}`;
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

function shownOf(total: number, shown: number): string {
  return shown < total ? `${grouped(total)}, showing ${grouped(shown)}` : grouped(total);
}

/** `title` is ours and holds no markup. */
function folded(title: string, body: string): Section {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}
