import { expect, test } from 'vitest';
import { contentOf, outlineOf } from './extracted.ts';

const SOURCE = `= Timer Guide
Jane Doe

[[scope]]
== Scope ==

// == commented
See ext:t[].

[NOTE]
====
== inside an example
====

[#limits.role]
=== Limits

----
== listing
----

////
== comment block
////

[discrete]
== Not a section

|===
| Bit | Name

| 0 | == EN
|===

[%header,cols="1,1"]
|===
| A | B
| 1 | 2
|===

include::parts/more.adoc[]

== Last
----
never closed
`;

test('AsciiDoc is kept as it is; sections are the headings outside blocks, with their anchors', async () => {
  const content = await contentOf(SOURCE, 'a.adoc');
  expect(content).toMatchObject({ format: 'asciidoc', extractor: 'adoc@1+norm:1', title: 'Timer Guide', text: SOURCE.trimEnd() });
  expect(outlineOf(content)).toEqual(['Timer Guide', '  Scope', '    Limits', '  Last']);
  expect(content.sections.map(({ anchor }) => anchor)).toEqual([undefined, 'scope', 'limits', undefined]);
  expect(content.text.slice(content.sections[1]?.start)).toMatch(/^== Scope ==/);
});

test('files that AsciiDoc includes are not followed, and named', async () => {
  expect((await contentOf(SOURCE, 'a.adoc')).warnings).toEqual(['include:: not followed: the text lacks parts/more.adoc']);
  const many = [1, 2, 3, 4, 5].map((part) => `include::${part}.adoc[]`).join('\n');
  expect((await contentOf(many, 'a.adoc')).warnings).toEqual(['include:: not followed: the text lacks 1.adoc, 2.adoc, 3.adoc, and 2 more']);
});

test('listings and tables are blocks; a header row is stated or has a blank line below it', async () => {
  const { text, blocks } = await contentOf(SOURCE, 'a.adoc');
  expect(
    blocks.map(({ kind, start, end, headerEnd }) => [kind, text.slice(start, end), headerEnd && text.slice(start, headerEnd)]),
  ).toEqual([
    ['listing', '----\n== listing\n----', null],
    ['table', '|===\n| Bit | Name\n\n| 0 | == EN\n|===', '|===\n| Bit | Name'],
    ['table', '|===\n| A | B\n| 1 | 2\n|===', '|===\n| A | B'],
  ]);
});
