import { expect, test } from 'vitest';
import { nodeVersion } from '../../../src/cli/doctor/doctor.ts';
import { doctorLines } from '../../../src/cli/doctor/doctor-screen.ts';
import { painter } from '../../../src/cli/terminal/style.ts';
import type { Inspection } from '../../../src/store/maintenance.ts';

const CHECKS: readonly Inspection[] = [
  { check: 'node', status: 'ok', message: 'Node 20.20.2', next: [] },
  { check: 'file-system', status: 'warning', message: '/x is in memory (tmpfs)', next: ['--db PATH on a disk'] },
  { check: 'lock', status: 'problem', message: 'worker w (pid 7) is stopped\n\u001b[31m', next: ['kill -CONT 7', 'kill 7'] },
];

const lines = (checks: readonly Inspection[], look: { colour?: boolean; quiet?: boolean } = {}) =>
  doctorLines(checks, { paint: painter(look.colour ?? false), quiet: look.quiet ?? false, columns: Number.POSITIVE_INFINITY }).join('');

test('a line for each check, what helps below it, and the sum at the end', () => {
  expect(lines(CHECKS)).toBe(`✓ node         Node 20.20.2
! file-system  warning: /x is in memory (tmpfs)
               next: --db PATH on a disk
✗ lock         problem: worker w (pid 7) is stopped${' '}
               next: kill -CONT 7
               next: kill 7

1 problem, 1 warning
`);
});

test('where nothing is wrong, it says so', () => {
  expect(lines(CHECKS.slice(0, 1))).toBe('✓ node  Node 20.20.2\n\nNothing is wrong.\n');
});

test('quiet prints what is wrong alone', () => {
  expect(lines(CHECKS.slice(0, 1), { quiet: true })).toBe('');
  expect(lines(CHECKS.slice(0, 2), { quiet: true })).toBe(
    '! file-system  warning: /x is in memory (tmpfs)\n               next: --db PATH on a disk\n',
  );
});

test('colour marks what a check found', () => {
  expect(lines(CHECKS, { colour: true })).toContain('\u001b[31m✗\u001b[39m lock');
});

test('a Node older than package.json asks for is a problem', async () => {
  const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } });
  const [major = 0, minor = 0] = manifest.engines.node.replace('>=', '').split('.').map(Number);
  const status = (version: string) => nodeVersion(version).status;
  expect([`${major}.${minor}.0`, `${major + 2}.0.0`, `${major}.${minor - 1}.9`, `${major - 1}.99.0`].map(status)).toEqual([
    'ok',
    'ok',
    'problem',
    'problem',
  ]);
});
