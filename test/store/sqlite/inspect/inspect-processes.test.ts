import { describe, expect, it } from 'vitest';
import { isStopped, writerOf } from '../../../../src/store/sqlite/inspect/inspect-processes.ts';

describe('the holder of the write lock', () => {
  const LOCKS = `1: POSIX  ADVISORY  READ 100 fe:00:77 120 120
2: FLOCK  ADVISORY  WRITE 101 fe:00:77 0 EOF
3: POSIX  ADVISORY  WRITE 102 fe:00:78 120 120
4: POSIX  ADVISORY  WRITE 103 fe:00:77 123 123
4: -> POSIX  ADVISORY  WRITE 104 fe:00:77 120 120
5: POSIX  ADVISORY  WRITE 105 fe:00:77 120 121
`;

  it('is the process whose lock covers the byte of the writer in this file', () => {
    expect(writerOf(LOCKS, 77)).toBe(105);
    expect(writerOf(LOCKS, 78)).toBe(102);
  });

  it('is nobody where the table is silent, or names a process of another container', () => {
    expect(writerOf(LOCKS, 79)).toBeNull();
    expect(writerOf('1: POSIX  ADVISORY  WRITE 0 fe:00:77 120 120\n', 77)).toBeNull();
    expect(writerOf('', 77)).toBeNull();
  });
});

it('a process that runs, or is not there, is not stopped', () => {
  expect(isStopped(process.pid)).toBe(false);
  expect(isStopped(2 ** 30)).toBe(false);
});
