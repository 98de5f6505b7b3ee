import { expect, test } from 'vitest';
import { findRunningLines } from '../../../src/documents/pdf/running-lines.ts';

const BODY = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa'];

/** The lines that stay, per page. */
function kept(pages: readonly (readonly string[])[]): readonly string[] {
  const { drop } = findRunningLines(pages.map((page) => page.map((text) => ({ text }))));
  return pages.map((page, index) => page.filter((_, line) => !drop[index]?.has(line)).join('/'));
}

function body(page: number): readonly string[] {
  return ['starts', 'goes on', 'still goes on', 'ends'].map((word) => `${BODY[page]} ${word}`);
}

test('heads that alternate between left and right pages are found on both', () => {
  const pages = [0, 1, 2, 3, 4, 5].map((page) => [page % 2 === 0 ? `Smith et al. ${page}` : `${page} On Timers`, ...body(page)]);
  expect(kept(pages)).toEqual(pages.map((_, page) => body(page).join('/')));
});

test('a title page without the head does not protect the others', () => {
  const pages = [body(0), ...[1, 2, 3, 4].map((page) => ['Draft – do not cite', ...body(page)])];
  expect(kept(pages)).toEqual([0, 1, 2, 3, 4].map((page) => body(page).join('/')));
});

test('what was removed is told with the number of pages', () => {
  const pages = [0, 1, 2].map((page) => [`Section ${page}`, ...body(page)].map((text) => ({ text })));
  expect(findRunningLines(pages).found).toEqual([{ text: 'Section 0', pages: 3 }]);
});

test('body text that pages share is not taken for a head', () => {
  const form = ['Name:', 'Address:', 'Telephone:', 'I hereby declare', 'that the above', 'is true', 'and complete', 'as of', 'today'];
  const pages = [0, 1, 2, 3].map((page) => [...form, ...body(page)]);
  expect(kept(pages)).toEqual(pages.map((page) => page.join('/')));
});

test('numbers at the foot that do not count the pages stay', () => {
  const pages = [17, 4, 230, 9].map((value, page) => [...body(page), String(value)]);
  expect(kept(pages)).toEqual(pages.map((page) => page.join('/')));
});

test('a page keeps its head when it holds nothing else', () => {
  const pages = [0, 1, 2, 3].map((page) => (page === 2 ? ['Annex'] : ['Annex', ...body(page)]));
  expect(kept(pages)[2]).toBe('Annex');
});

test('two pages are too few to tell a head from text', () => {
  const pages = [0, 1].map((page) => ['Same line', ...body(page)]);
  expect(kept(pages)).toEqual(pages.map((page) => page.join('/')));
});
