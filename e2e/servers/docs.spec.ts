import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type DocsStage, openDocsStage } from '@/e2e/servers/docs-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { type GuideProgram, programsIn } from '@/lib/endpoints/docs/testing/programs'

/** Every program of the guides, run as a reader would run it against the built server. */

const PROGRAM_MS = 60_000
/** Of curl, after an error of HTTP. */
const CURL_FAILED = 22

let stage: DocsStage

test.describe.configure({ timeout: 240_000 })
test.beforeAll(async () => {
  test.setTimeout(180_000)
  stage = await openDocsStage()
})
test.afterAll(async () => stage?.close())

/** What the programs of a guide print, one after the other; nothing is looked for where a file comes out. */
const GUIDES: Record<string, readonly RegExp[]> = {
  'first-call': [/"content":"The tide comes in\."/, /^The tide comes in\.$/m, /"id":"say"/, /^say \{/m],
  'from-openai': [/'say'/, /"object":"list"/, /\{/, /"content":"The tide comes in\."/, /^The tide comes in\.$/m],
  streaming: [/data: \[DONE\]/, /total_tokens: 13/, /The tide comes in\./, /^The$/, /The tide comes in\./],
  media: [
    /"content":"The tide comes in\."/,
    /The tide comes in\./,
    /"web_search_citations":\[\{/,
    /^$/,
    /^$/,
    /high water/i,
    /high water/i,
    /^$/,
    /^$/,
    /^$/,
    /audio\/\w+ \d{4,}/,
  ],
  wallets: [
    /^The tide comes in\. 9\.99/,
    /^The tide comes in\. 9\.99/,
    /"accepts":\[/,
    /^200 \{.*newBalance: 3/s,
    /"balanceUsd":34\.99.*"TOP_UP"/s,
  ],
  rpc: [/"result":"0x/, /^\d+n?$/m, /base-mainnet/, /'base-mainnet'/, /"id":\s*2/, /result.*null\n.*result.*true/s],
}

for (const [slug, outputs] of Object.entries(GUIDES)) {
  test(`${slug}: every program runs, and prints what it should`, async () => {
    const programs = programsIn(await sourceOf(slug)).filter(({ language }) => language !== 'python')
    expect(programs).toHaveLength(outputs.length)
    for (const [index, program] of programs.entries()) {
      const printed = await run(program, slug, index, isOffer(program) ? CURL_FAILED : 0)
      expect(printed.trim(), `${slug}, program ${index + 1}:\n${program.code}`).toMatch(outputs[index]!)
    }
  })
}

test('operating: the commands of an operator run beside the server', async () => {
  const [keys, reconcile] = programsIn(await sourceOf('operating'))
  const made = await run(keys!, 'operating', 0)
  expect(made).toMatch(/SERVICE_INFERENCE_KEY_\w+/)
  expect(made).toMatch(/SERVICE_ADMIN_KEY_\w+/)
  expect(made).toContain('reports')
  await run(reconcile!, 'operating', 1)
})

const sourceOf = async (slug: string): Promise<string> =>
  (await readFile(path.join('docs', 'guides', `${slug}.md`), 'utf8')).replaceAll(/\bORIGIN\b/g, stage.origin)

/** The offer of a top-up is a 402, with which curl fails. */
const isOffer = ({ code }: GuideProgram): boolean => code.startsWith('curl -X POST') && code.endsWith('/x402/top-up')

/** Runs a program to its end, and expects this exit code. @returns what it wrote to its output */
async function run({ language, code }: GuideProgram, slug: string, index: number, expected = 0): Promise<string> {
  const isShell = language === 'sh'
  const file = path.join(stage.folder, `${slug}-${index}.${isShell ? 'sh' : 'mts'}`)
  await writeFile(file, code)
  // Commands of an operator run where the checkout is.
  const cwd = slug === 'operating' ? process.cwd() : stage.folder
  const { NODE_OPTIONS: watch, ...environment } = stage.environment
  const child = spawn(isShell ? 'bash' : process.execPath, [...(isShell ? ['-e'] : []), file], {
    cwd,
    env: isShell ? environment : { ...environment, NODE_OPTIONS: watch },
    timeout: PROGRAM_MS,
  })
  let [output, faults] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    faults += chunk
  })
  const exit = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  expect(exit, `${code}\n\n${output}\n${faults}`).toBe(expected)
  return output
}
