import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { run } from '@/components/rpc/snippets/testing'
import { findGuide, GUIDE_SLUGS, guides, referenceText } from '@/lib/endpoints/docs/guides'
import { compile } from '@/lib/endpoints/docs/testing/compile'
import { programsIn } from '@/lib/endpoints/docs/testing/programs'
import { config } from '@/lib/kernel/config'
import { parseLimits } from '@/lib/services/limits/limits-file'
import { parseModels } from '@/lib/services/models/models-file'

const FOLDER = path.join('docs', 'guides')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-guides-'))
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  await mkdir(path.join(folder, 'src'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const sourceOf = (slug: string) => readFile(path.join(FOLDER, `${slug}.md`), 'utf8')

test('every file is a page, and every page has a file', async () => {
  expect((await readdir(FOLDER)).sort()).toEqual([...GUIDE_SLUGS, 'reference'].map((slug) => `${slug}.md`).sort())
})

test('a guide has a title, a first paragraph, and parts with addresses of their own', () => {
  for (const { title, lead, headings } of [...guides(), referenceText()]) {
    expect(title).not.toBe('')
    expect(lead).toMatch(/\.$/)
    expect(headings.length).toBeGreaterThan(3)
    expect(new Set(headings.map(({ id }) => id)).size).toBe(headings.length)
  }
  expect(findGuide('streaming')?.headings.map(({ id }) => id)).toContain('when-a-stream-fails')
  expect(findGuide('nothing')).toBeUndefined()
})

test('the address in a guide is that of the server, and nothing else is replaced', () => {
  const text = JSON.stringify(guides().map(({ tokens }) => tokens))
  expect(text).toContain(`${config().origin}/api/v1/chat/completions`)
  expect(text).not.toMatch(/\bORIGIN\b/)
  expect(text).toContain('SERVICE_ORIGIN')
})

test('every program in TypeScript passes the compiler under strict settings', async () => {
  const names: string[] = []
  for (const slug of GUIDE_SLUGS) {
    const programs = programsIn(await sourceOf(slug)).filter(({ language }) => language === 'ts')
    for (const [index, { code }] of programs.entries()) {
      names.push(`${slug}-${index}`)
      await writeFile(path.join(folder, 'src', `${slug}-${index}.mts`), code)
    }
  }
  expect(names.length).toBeGreaterThan(15)
  await compile(folder)
})

test('every program in Python compiles', async () => {
  const files: string[] = []
  for (const slug of GUIDE_SLUGS) {
    const programs = programsIn(await sourceOf(slug)).filter(({ language }) => language === 'python')
    for (const [index, { code }] of programs.entries()) {
      const file = path.join(folder, `${slug.replaceAll('-', '_')}_${index}.py`)
      files.push(file)
      await writeFile(file, code)
    }
  }
  expect(files.length).toBeGreaterThan(8)
  await run('python3', ['-m', 'py_compile', ...files])
})

test('the files that operators are shown are files that the server reads', async () => {
  const fences = [...(await sourceOf('operating')).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)
  expect(fences).toHaveLength(2)
  vi.stubEnv('CLUSTER_API_KEY', 'a-key')
  const { entries } = parseModels(fences[0]!, 'models.yaml')
  expect(entries.map(({ id }) => id)).toEqual(['atlas-large'])
  vi.unstubAllEnvs()
  expect(parseLimits(fences[1]!).types).toEqual(parseLimits('').types)
})
