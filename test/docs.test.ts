import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PAGES = [
  'README.md',
  'fixtures/quickstart/README.md',
  ...readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];
const LONGEST_LINE = 160;

const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');
const withoutCode = (text: string): string => text.replace(/^ *```.*?^ *```/gms, '');

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = '']) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-');
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

function linksOf(text: string): string[] {
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^https?:/.test(target));
}

describe.each(PAGES)('%s', (page) => {
  test('has no link that leads nowhere', () => {
    const dead = linksOf(read(page)).filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : resolve(ROOT, dirname(page), path);
      if (!existsSync(resolve(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  test('has no line that must be scrolled, but for tables', () => {
    expect(
      withoutCode(read(page))
        .split('\n')
        .filter((line) => line.length > LONGEST_LINE && !line.startsWith('|')),
    ).toEqual([]);
  });
});
