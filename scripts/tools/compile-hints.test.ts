import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addCompileHints, COMPILE_HINT } from '@/scripts/tools/build'

test('scripts get the hint once; libraries and other files stay as they are', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'lagoon-hints-'))
  const folder = path.join(root, '.next', 'static', 'chunks')
  await mkdir(folder, { recursive: true })
  const files: Record<string, string> = {
    'page.js': 'page()',
    'library.js': `library(${'1,'.repeat(150_000)}1)`,
    'page.css': 'a{}',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)

  await addCompileHints(root)
  await addCompileHints(root)

  const texts = await Promise.all(Object.keys(files).map((name) => readFile(path.join(folder, name), 'utf8')))
  expect(texts).toEqual([`${COMPILE_HINT}page()`, files['library.js'], 'a{}'])
  await rm(root, { recursive: true })
})
