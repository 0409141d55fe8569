import { expect, test } from 'vitest'
import { endingOf, grammarOf } from '@/components/markdown/highlight/names'
import { LANGUAGES, tokensOf } from '@/components/markdown/highlight/tokens'

const textOf = (lines: Awaited<ReturnType<typeof tokensOf>>) =>
  lines.map((line) => line.map((piece) => (typeof piece === 'string' ? piece : piece[1])).join('')).join('\n')

test('code keeps each of its letters, and its words get kinds', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: text of an answer, not a template
  const code = 'export const a: number = 1 // one\n\nfunction f(x) {\n  return `a${x}`\n}'
  const lines = await tokensOf(code, 'typescript')
  expect(textOf(lines)).toBe(code)
  const kinds = new Set(lines.flat().map((piece) => (typeof piece === 'string' ? '' : piece[0])))
  expect([...kinds]).toEqual(expect.arrayContaining(['keyword', 'comment', 'function', 'constant']))
})

test('names that people write lead to a grammar that is there, and to the ending of a file', () => {
  for (const name of [
    'js',
    'TS',
    'py',
    'sh',
    'yml',
    'c++',
    'dockerfile',
    'rs',
    'golang',
    'html',
    'svg',
    'diff',
    'sol',
  ]) {
    expect(LANGUAGES).toHaveProperty(grammarOf(name) ?? 'none')
  }
  expect(grammarOf('constructor')).toBeUndefined()
  expect(grammarOf(undefined)).toBeUndefined()
  expect([endingOf('python'), endingOf('nothing'), endingOf(undefined)]).toEqual(['py', 'txt', 'txt'])
})

test('each kind of colour has its rule', async () => {
  const { readFile } = await import('node:fs/promises')
  const css = await readFile('app/globals.css', 'utf8')
  const kinds = new Set<string>()
  const samples: [string, string][] = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of an answer, not a template
    ['typescript', 'import a from "b"\nclass A<T> extends B { get x(): string { return `${this.y}` + /a+/u } }'],
    ['python', 'def f(x: int = 3) -> str:\n  """doc"""\n  return f"{x!r}" # c'],
    ['diff', '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new'],
    ['markdown', '# T\n\n*a* **b** [c](https://example.org) `d`'],
    ['html', '<a href="x" onclick="f(1)">t</a><style>a{color:red}</style>'],
    ['json', '{"a": [1, true, null, "x"]}'],
  ]
  for (const [grammar, code] of samples) {
    for (const piece of (await tokensOf(code, grammar)).flat()) if (typeof piece !== 'string') kinds.add(piece[0])
  }
  for (const kind of kinds) expect(css).toMatch(new RegExp(`\\.code-${kind}\\b`))
})
