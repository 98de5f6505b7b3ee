import { runSign } from '../headline.ts';
import { grouped, passPercent } from '../phrases.ts';
import { createSummary } from '../summarize.ts';
import type { Summary } from '../summary.ts';
import type { ExportSource } from './export-source.ts';

type Badge = { readonly message: string; readonly color: string };

/** What a shields.io "endpoint" badge reads: label, message and colour, as one line of JSON. */
export async function* badge({ header, lines }: ExportSource): AsyncGenerator<string> {
  const summary = createSummary(header);
  for await (const line of lines()) summary.add(line);
  yield `${JSON.stringify({ schemaVersion: 1, label: 'aieval', ...badgeOf(summary.finish()) })}\n`;
}

/** A badge is read in passing: a part, and what could not be evaluated, must not look like a pass of all. */
function badgeOf(summary: Summary): Badge {
  const { results, selection } = summary;
  const parts = [
    ...(selection === null ? [] : ['part']),
    ...stateWord(summary),
    ...numbers(summary),
    ...(results.error > 0 ? [`${grouped(results.error)} not evaluated`] : []),
  ];
  return { message: parts.join(', '), color: colorOf(summary) };
}

/** The headline's word, where it is not the verdict that the numbers tell. */
function stateWord(summary: Summary): readonly string[] {
  const { verdict, run } = summary;
  return verdict === null || verdict === 'incomplete' || run.state === 'cancelled' ? [runSign(summary).word.toLowerCase()] : [];
}

function numbers({ results }: Summary): readonly string[] {
  const rate = passPercent(results);
  if (rate !== null) return [`${rate} pass`];
  return [results.review > 0 ? `${grouped(results.review)} to review` : 'no results'];
}

function colorOf({ verdict, results, selection }: Summary): string {
  if (verdict === null) return 'blue';
  if (verdict === 'incomplete') return 'orange';
  if (results.pass + results.fail === 0) return results.review > 0 ? 'yellow' : 'lightgrey';
  if (verdict === 'fail') return 'red';
  if (results.error > 0) return 'yellow';
  return selection === null ? 'brightgreen' : 'blue';
}
