import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = path.resolve('lib/db/migrations')
const LIST = path.join(FOLDER, 'README.md')
const DEFINITION = /^(create|create or replace|drop) function (\w+)/gim
const HEAD = `# SQL functions

A later migration may replace a function. This is where each has its newest definition.

<!-- generated: UPDATE_DOCS=1 npx vitest run lib/db/migrations.test.ts -->
`

async function newestDefinitions(): Promise<[name: string, file: string][]> {
  const newest = new Map<string, string>()
  for (const file of (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()) {
    for (const [, verb = '', name = ''] of (await readFile(path.join(FOLDER, file), 'utf8')).matchAll(DEFINITION)) {
      if (verb.toLowerCase() === 'drop') newest.delete(name)
      else newest.set(name, file)
    }
  }
  return [...newest].sort(([a], [b]) => a.localeCompare(b))
}

test('the list says where each SQL function has its newest definition', async () => {
  const rows = (await newestDefinitions()).map(([name, file]) => `| \`${name}\` | [${file}](${file}) |`)
  expect(rows.length).toBeGreaterThan(20)
  const list = `${HEAD}\n${['| Function | Migration |', '|---|---|', ...rows].join('\n')}\n`
  if (process.env.UPDATE_DOCS) await writeFile(LIST, list)
  expect(await readFile(LIST, 'utf8')).toBe(list)
})
