import type { Absence, Finding } from '../../domain/score.ts';
import type { JobVerdict } from '../../domain/verdict.ts';
import { place, quoteNotes, searchedPhrase, verdictOnQuote } from '../evidence-phrases.ts';
import type { GroupedCheck } from '../failure-groups.ts';
import { counted, grouped } from '../phrases.ts';
import { escaped, escapedHtml, shown } from './escaped.ts';

const EXPLANATIONS_SHOWN = 3;
const QUOTES_SHOWN = 10;

/** What a check found wrong, with the quotes that do not stand, as an item of a list. `verdict`: of the result. */
export function checkItem({ check, verdict, explanations, findings, absences }: GroupedCheck, result: JobVerdict): string {
  const quotes = [...findings.kept.slice(0, QUOTES_SHOWN).map(findingItem), ...more(findings, 'quote')];
  const claims = [...absences.kept.slice(0, QUOTES_SHOWN).map(absenceItem), ...more(absences, 'claim')];
  const list = [...quotes, ...claims].join('');
  const worth = verdict === result ? '' : ` (${escaped(verdict)})`;
  return `<li><b>${escaped(check)}</b>${worth}${explained(explanations)}${list === '' ? '' : `<ul>${list}</ul>`}</li>`;
}

function explained(explanations: readonly string[]): string {
  const rest = explanations.length - EXPLANATIONS_SHOWN;
  const texts = explanations.slice(0, EXPLANATIONS_SHOWN).map(escaped).join('; ');
  return `${texts === '' ? '' : `: ${texts}`}${rest > 0 ? `; and ${grouped(rest)} more` : ''}`;
}

function more({ total, kept }: { readonly total: number; readonly kept: readonly unknown[] }, noun: string): string[] {
  const rest = total - Math.min(kept.length, QUOTES_SHOWN);
  return rest > 0 ? [`<li>${counted(rest, `more ${noun}`)}</li>`] : [];
}

function findingItem(finding: Finding): string {
  const { diff, text, status } = finding.evidence;
  const where = place(finding);
  const worth = `${verdictOnQuote(finding)}${diff === null ? '' : ` ${diff}`}`;
  return [
    `<li>${escaped(`${where === '' ? '' : `${where}: `}${worth}`)}`,
    ...quoteNotes(finding, shown).map((note) => `<br>${escaped(note)}`),
    ...words('quoted', finding.quote),
    ...(text === null || status === 'verified' ? [] : words('document', text)),
    '</li>',
  ].join('');
}

function words(whose: string, text: string): string[] {
  return text === '' ? [] : [`<div class="words"><span>${whose}</span> <q>${escaped(text)}</q></div>`];
}

function absenceItem(absence: Absence): string {
  const at = absence.at === '' ? '' : ` (${shown(absence.at)})`;
  return `<li>${escapedHtml(`said not to be in the document${at}; searched: ${searchedPhrase(absence, shown)}`)}</li>`;
}
