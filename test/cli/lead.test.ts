import { describe, expect, test } from 'vitest';
import { asTyped, COMMAND_NAMES, leadOf } from '../../src/cli/lead.ts';
import { main } from '../../src/cli/main.ts';
import { FakeStream, fakeIo } from './fake-io.ts';

describe('how a printed command begins', () => {
  test('without options of a place it is the program alone', () => {
    expect(leadOf({})).toBe('aieval');
    expect(leadOf({ json: true, quiet: true, color: false, input: false, display: 'plain', logFormat: 'json' })).toBe('aieval');
  });

  test('repeats what leads to the database, the files and the keys, in words of a shell', () => {
    const flags = { C: 'my review', db: "ann's.db", out: 'out', env: ['a.env', 'b c.env'], trustFs: true };
    expect(leadOf(flags)).toBe("aieval -C 'my review' --db 'ann'\\''s.db' --out out --env a.env --env 'b c.env' --trust-fs");
  });

  test('repeats no address of a server, which may hold a password', () => {
    expect(leadOf({ db: 'postgres://ann:secret@db/x' })).toBe('aieval');
    expect(leadOf({ db: 'sqlite://x.db' })).toBe('aieval --db sqlite://x.db');
  });
});

describe('a text that names commands', () => {
  const lead = 'aieval -C x';

  test('has each of them as it must be typed', () => {
    expect(asTyped('mend the cause, then: aieval retry r-a; or aieval cache export a.jsonl · aieval run m.json', lead)).toBe(
      'mend the cause, then: aieval -C x retry r-a; or aieval -C x cache export a.jsonl · aieval -C x run m.json',
    );
  });

  test('keeps sentences about the program, paths that hold its name, and commands that name a place already', () => {
    for (const text of [
      'a file that aieval did not write',
      'aieval runs on it',
      './aieval run',
      'my-aieval run',
      'aieval -C <folder> status',
      'aieval --help',
    ])
      expect(asTyped(text, lead)).toBe(text);
  });

  test('takes the lead as it stands, whatever is in it', () => {
    expect(asTyped('aieval run', "aieval -C '$&'")).toBe("aieval -C '$&' run");
    expect(asTyped(asTyped('aieval run', lead), lead)).toBe('aieval -C x run');
  });

  test('the known commands are those of the program', async () => {
    const stdout = new FakeStream();
    await main(['--help'], fakeIo({ stdout }));
    const listed = stdout.text.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'help').sort()).toEqual([...COMMAND_NAMES].sort());
  });
});
