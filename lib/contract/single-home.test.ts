import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { expect, test } from 'vitest'
import * as estimates from '@/lib/contract/estimates'
import * as limits from '@/lib/contract/limits'
import { formatUsd, type Usd } from '@/lib/contract/money'
import * as prices from '@/lib/contract/prices'

/**
 * A price or a limit of the contract has one home: `prices.ts`, `limits.ts` and `estimates.ts` of this folder. Whoever needs
 * the number imports it. This test finds it written a second time: as a number, as dollars in a text, or under its own name.
 */
const SOURCES = '{app,components,lib,server}/**/*.{ts,tsx}'
const NO_SOURCE = /\.(test|race|weights|spec)\.|\/testing[/-]|\.gen\.ts$|^lib\/contract\/(prices|limits|estimates)\.ts$/

/** Constants whose numbers are too common to be found by their value. They are found by their names. */
const COMMON = new Map([
  ['MAX_PER_MESSAGE', 'counts below eleven'],
  ['MAX_FILES_PER_REQUEST', '100 bounds many things'],
  ['MAX_RPC_CALLS', '100 bounds many things'],
  ['MAX_VIDEOS_PER_REQUEST', 'a count below eleven'],
  ['MAX_PAGES_READ', 'a count below eleven'],
  ['MAX_NATIVE_RESULTS', 'a count below eleven'],
  ['MAX_VARIANTS', 'a count below eleven'],
  ['VIDEO_FRAMES', 'a count below eleven'],
  ['MIN_SPEED', 'a quarter'],
  ['MAX_SPEED', 'a count below eleven'],
  ['MAX_CFG_SCALE', '20 bounds many things'],
  ['MIN_IMAGE_SIDE', '64 bounds many things'],
  ['MIN_GENERATED_SIDE', '64 bounds many things'],
  ['MAX_KEY_DESCRIPTION_CHARS', '64 bounds many things'],
  ['MAX_VIDEO_SECONDS', 'ten minutes in seconds'],
  ['MAX_IMAGE_SIDE', 'a power of two'],
  ['MIN_EDIT_PIXELS', 'a power of two'],
  ['MAX_EDIT_PROMPT_CHARS', 'a power of two'],
  ['MAX_SPEECH_CHARS', 'a power of two'],
  ['MAX_SENT_URL_CHARS', 'a power of two'],
  ['MAX_WEB_CHARS', '24,000 is a sample rate'],
  ['MAX_RPC_BYTES', 'a mebibyte'],
  ['MAX_VIDEO_PROMPT_CHARS', '20,000 bounds many things'],
  ['DEFAULT_RATE_LIMITS', 'round numbers; only limits.ts of the service reads them'],
  ['RPC_ERROR_CREDITS', 'a count below eleven'],
])

/** Where a number stands for something else, and why. */
const OTHER_MEANING: Record<string, string> = {
  'lib/services/engines/embedded/models.ts 0.01': 'a price of an embedded model',
  'lib/services/engines/embedded/models.ts 0.04': 'a price of an embedded model',
  'lib/browser/format/cost.ts 0.01': 'a cent: less is written as less than it',
  'lib/contract/characters/schema.ts 999999999': 'of a place in a list',
  'lib/contract/usage-queries.schema.ts 999999999': 'of a page in a list',
  'lib/services/models/entry.ts 9999999999': 'a time in Unix seconds',
  'lib/kernel/log.ts 16777216': 'bytes of log that wait to be written',
  'components/history/archive/work.ts 16777216': 'bytes that are read at a time',
  'components/studio/jobs/api.ts 1800000': 'a deadline in milliseconds',
  'lib/contract/image-edit.schema.ts 0.01': 'the least creativity of an enlargement',
  'components/usage/tables.tsx 0.01': 'a share of one in a hundred',
  'lib/browser/files/draft-files.ts 0.04': 'a step of a progress bar',
  'lib/browser/settings-entries.ts $0.01': 'a sentence of seven languages; checked below',
}

/** Names of other bounds of the same name, in files that have nothing to do with the contract's. */
const OTHER_NAME: Record<string, string> = {
  'components/history/share-sheet.tsx MAX_FILE_BYTES': 'of a shared file',
  'components/rpc/saved-requests-file.ts MAX_FILE_BYTES': 'of an export of saved requests',
  'lib/services/models/models-file.ts MAX_FILE_BYTES': "of the operator's file",
  'lib/services/characters/shipped.ts MAX_FILE_BYTES': "of the operator's file",
  'lib/services/engines/upstream/jobs/prediction-jobs.ts MAX_FILE_BYTES': 'of a finished video',
  'lib/services/engines/upstream/images/comfyui.ts MAX_SEED': 'of an engine',
}

/** Estimates are small numbers that mean much else; they are found by their names. */
const NAMES = new Set([...Object.keys(prices), ...Object.keys(limits), ...Object.keys(estimates)])
const NUMBERS = new Map(
  Object.entries(limits).flatMap(([name, value]) =>
    typeof value === 'number' && !COMMON.has(name) ? [[value, name] as const] : [],
  ),
)
const DOLLARS = new Map(
  Object.entries(prices).flatMap(([name, value]) =>
    typeof value === 'bigint' && name !== 'DEFAULT_RPC_CREDIT_PRICE'
      ? [[Number(formatUsd(value as Usd)), name] as const]
      : [],
  ),
)

test('no price and no limit of the contract is written a second time', async () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const found: string[] = []
  for await (const file of glob(SOURCES, { cwd: root })) {
    if (!NO_SOURCE.test(file)) found.push(...secondHomes(file, readFileSync(path.join(root, file), 'utf8')))
  }
  expect(found.filter((one) => !(one in OTHER_MEANING || one in OTHER_NAME)).sort()).toEqual([])
  // What was mended leaves the lists.
  expect([...Object.keys(OTHER_MEANING), ...Object.keys(OTHER_NAME)].filter((one) => !found.includes(one))).toEqual([])
})

test('the price in the sentence about web sources is the price of a source', () => {
  const entries = readFileSync(path.resolve(import.meta.dirname, '../browser/settings-entries.ts'), 'utf8')
  expect(entries).toContain(`$${formatUsd(prices.WEB_SOURCE_PRICE, 2)} for a search, a page or a result from X.`)
})

test.each([
  ['a number', 'const LIMIT = 25_000_000', 'x.ts 25000000'],
  ['a product', 'const LIMIT = 25 * 1_000_000', 'x.ts 25000000'],
  ['megabytes', 'const LIMIT = 25 * MEGABYTE', 'x.ts 25000000'],
  ['milliseconds', 'const MOST = 30 * 60_000', 'x.ts 1800000'],
  ['a price', 'const PRICE = perUnit(0.04)', 'x.ts 0.04'],
  ['a price as text', "const PRICE = usd('0.01')", 'x.ts 0.01'],
  ['nano-dollars', 'const PRICE = nano(10_000_000n)', 'x.ts 0.01'],
  ['dollars in a sentence', 'const text = t("at least $0.10")', 'x.ts $0.10'],
  ['dollars in a template', 'const text = `0.04 USD`', 'x.ts $0.04'],
  ['its own name', 'export const MAX_FILE_BYTES = 1', 'x.ts MAX_FILE_BYTES'],
])('%s is found', (_, source, fault) => {
  expect(secondHomes('x.ts', source)).toEqual([fault])
})

type Node = { type: string; [key: string]: unknown }

/** `file number`, `file $dollars` or `file NAME` of what one file writes again. */
function secondHomes(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const found = new Set<string>()
  const see = (text: string) => found.add(`${file} ${text}`)
  const number = (value: number) => {
    // A length may be written in milliseconds.
    if (NUMBERS.has(value) || (NUMBERS.has(value / 1_000) && value === limits.MAX_AUDIO_SECONDS * 1_000))
      see(`${value}`)
  }
  const words = (text: string) => {
    for (const [, before, after] of text.matchAll(/\$(\d+\.\d\d)(?!\d)|(?<![\d.])(\d+\.\d\d) USD/g)) {
      const amount = before ?? after ?? ''
      if (DOLLARS.has(Number(amount))) see(`$${amount}`)
    }
  }
  new Visitor({
    Literal(node: Node) {
      const { value } = node
      if (typeof value === 'number') {
        number(value)
        // A tenth is too common as a bare number.
        if (value !== 0.1 && DOLLARS.has(value)) see(`${value}`)
      } else if (typeof value === 'string') words(value)
    },
    TemplateElement: (node: Node) => words((node.value as { raw: string }).raw),
    JSXText: (node: Node) => words(String(node.value)),
    BinaryExpression(node: Node) {
      const product = numberIn(node)
      if (product !== undefined) number(product)
    },
    CallExpression(node: Node) {
      const [given] = node.arguments as Node[]
      const name = (node.callee as Node).name
      if (name === 'usd' && typeof given?.value === 'string' && DOLLARS.has(Number(given.value)))
        see(String(Number(given.value)))
      if (name === 'nano' && typeof given?.value === 'bigint' && DOLLARS.has(Number(given.value) / 1e9))
        see(String(Number(given.value) / 1e9))
    },
    VariableDeclarator(node: Node) {
      const { name } = node.id as Node
      if (typeof name === 'string' && NAMES.has(name)) see(name)
    },
  } as never).visit(program)
  return [...found]
}

/** What a product of literals comes to. */
function numberIn(node: Node): number | undefined {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined
  if (node.type === 'Identifier') return /^(MEGABYTE|MB)$/.test(String(node.name)) ? 1e6 : undefined
  if (node.type !== 'BinaryExpression' || node.operator !== '*') return undefined
  const [left, right] = [numberIn(node.left as Node), numberIn(node.right as Node)]
  return left === undefined || right === undefined ? undefined : left * right
}
