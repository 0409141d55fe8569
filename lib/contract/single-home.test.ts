import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { expect, test } from 'vitest'
import { USDC_DECIMALS } from '@/lib/contract/chains'
import * as estimates from '@/lib/contract/estimates'
import * as limits from '@/lib/contract/limits'
import { formatUsd, type Usd } from '@/lib/contract/money'
import * as prices from '@/lib/contract/prices'

/**
 * Finds prices and limits of the contract that are written a second time: as a number in any spelling, as dollars or
 * with a unit in a text, or under their own name. Their homes are `prices.ts`, `limits.ts` and `estimates.ts`
 * of this folder.
 */
const SOURCES = '{app,components,lib,server}/**/*.{ts,tsx}'
const NO_SOURCE =
  /\.(test|race|weights|spec)\.|\/testing[/.-]|\.gen\.ts$|^lib\/i18n\/messages|^lib\/contract\/(prices|limits|estimates)\.ts$/

const COMMON = new Map([
  ['MAX_PER_MESSAGE', 'counts below eleven'],
  ['MAX_FILES_PER_REQUEST', '100 bounds many things'],
  ['MAX_RPC_BATCH_CALLS', '100 bounds many things'],
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

/** Numbers with another meaning. */
const OTHER_MEANING: Record<string, string> = {
  'lib/services/models/embedded-models.ts 0.01': 'a price of an embedded model',
  'lib/services/models/embedded-models.ts 0.04': 'a price of an embedded model',
  'lib/services/models/installed.ts 0.01': 'a price of an installed embedding model',
  'lib/browser/format/cost.ts 0.01': 'a cent: less is written as less than it',
  'lib/contract/characters/character.schema.ts 999999999': 'of a place in a list',
  'lib/contract/billing.schema.ts 999999999': 'of a page in a list',
  'lib/services/models/entry.ts 9999999999': 'a time in Unix seconds',
  'lib/kernel/log.ts 16777216': 'bytes of log that wait to be written',
  'components/history/archive/work.ts 16777216': 'bytes that are read at a time',
  'components/studio/jobs/api.ts 1800000': 'a deadline in milliseconds',
  'lib/contract/images.schema.ts 0.01': 'the least creativity of an enlargement',
  'components/history/archive/encryption.ts 16777216': 'bytes of the head of an encrypted file',
  'components/history/archive/foreign-files.ts 16777216': 'bytes of names in an archive',
  'components/history/archive/limits.ts 16777216': 'bytes that may be unpacked of anything',
  'components/rpc/response/decode/decoded.ts 10000000000n': 'a time in Unix seconds',
  'lib/services/identity/sign-in/evm.ts 5000000n': 'gas of a call',
  'lib/services/payments/payment-solana.ts 5000000n': 'the price of a compute unit',
  'components/usage/usage-page.tsx 0.01': 'a share of one in a hundred',
  'lib/browser/files/draft-files.ts 0.04': 'a step of a progress bar',
  'lib/services/engines/embedded/hub/source.ts 64 characters': 'of a checksum',
}

/** Bounds of the same name that are unrelated to the contract. */
const OTHER_NAME: Record<string, string> = {
  'app/api/characters/import/route.ts MAX_JSON_BYTES': 'of a character card',
  'lib/services/engines/upstream/jobs/calls.ts MAX_JSON_BYTES': 'of an upstream reply',
  'components/history/share-sheet.tsx MAX_FILE_BYTES': 'of a shared file',
  'components/rpc/saved-requests-file.ts MAX_FILE_BYTES': 'of an export of saved requests',
  'lib/services/models/models-file.ts MAX_FILE_BYTES': "of the operator's file",
  'lib/services/characters/shipped.ts MAX_FILE_BYTES': "of the operator's file",
  'lib/services/engines/upstream/jobs/provider.ts MAX_FILE_BYTES': 'of a finished video',
  'lib/services/engines/upstream/images/comfyui.ts MAX_SEED': 'of an engine',
  'lib/services/engines/embedded/transcription/transcription.ts MAX_AUDIO_SECONDS': 'of decoded audio',
  'lib/services/media/media-tasks.ts MAX_VIDEO_SECONDS': 'of a generated video',
}

/**
 * Sentences of the web app that repeat a bound. They are keys of translations, so they are compared with the bound
 * here.
 */
const SENTENCES: readonly (readonly [file: string, found: string, text: string])[] = [
  [
    'lib/browser/settings-entries.ts',
    '$0.01',
    `$${formatUsd(prices.WEB_SOURCE_PRICE, 2)} for a search, a page or a result`,
  ],
  ['components/chat/composer/toolbar-panels.tsx', '10 results', `up to ${limits.MAX_NATIVE_RESULTS} results`],
  ['components/rpc/batch/batch-builder.tsx', '5 credits', `An error costs ${prices.RPC_ERROR_CREDITS} credits`],
  ['components/studio/audio/transcription-form.tsx', '30 minutes', `up to ${limits.MAX_AUDIO_SECONDS / 60} minutes`],
  ['components/studio/image/form.tsx', '25 MB', `up to ${limits.MAX_FILE_BYTES / 1e6} MB`],
  ['components/studio/read-media.ts', '30 minutes', `longer than ${limits.MAX_AUDIO_SECONDS / 60} minutes`],
  ['components/studio/video/video-studio.tsx', '10 minutes', `up to ${limits.MAX_VIDEO_SECONDS / 60} minutes`],
  ['lib/browser/files/read-file.ts', '10 minutes', `video is longer than ${limits.MAX_VIDEO_SECONDS / 60} minutes`],
  ['lib/browser/files/read-file.ts', '30 minutes', `recording is longer than ${limits.MAX_AUDIO_SECONDS / 60} minutes`],
  ['lib/browser/files/shrink-image.ts', '25 MB', `larger than ${limits.MAX_FILE_BYTES / 1e6} MB`],
]

const NAMES = new Set([prices, limits, estimates].flatMap(Object.keys))
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
const BASE_UNITS = new Map<bigint, string>(
  Object.entries(limits).flatMap(([name, value]) => (typeof value === 'bigint' ? [[value, name] as const] : [])),
)
const TOP_UP_DOLLARS = new Set([...BASE_UNITS.keys()].map((units) => Number(units) / 10 ** USDC_DECIMALS))

const UNITS: Record<string, { suffix: RegExp; size: number }> = {
  MB: { suffix: /_BYTES$/, size: 1e6 },
  minutes: { suffix: /_SECONDS$/, size: 60 },
  megapixels: { suffix: /_PIXELS$/, size: 1e6 },
  characters: { suffix: /_CHARS$/, size: 1 },
  credits: { suffix: /^RPC_ERROR_CREDITS$/, size: 1 },
  results: { suffix: /^MAX_NATIVE_RESULTS$/, size: 1 },
  addresses: { suffix: /^MAX_PAGES_READ$/, size: 1 },
  calls: { suffix: /^MAX_RPC_BATCH_CALLS$/, size: 1 },
}
const SAID = new RegExp(`(?<![\\d.,])(\\d[\\d,.]*) (${Object.keys(UNITS).join('|')})\\b`, 'g')
const ALL_NUMBERS = Object.entries({ ...limits, ...prices }).filter(
  (entry): entry is [string, number] => typeof entry[1] === 'number',
)

test('no price and no limit of the contract is written a second time', async () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const found: string[] = []
  for await (const file of glob(SOURCES, { cwd: root })) {
    if (!NO_SOURCE.test(file)) found.push(...secondHomes(file, readFileSync(path.join(root, file), 'utf8')))
  }
  const sentences = SENTENCES.map(([file, one]) => `${file} ${one}`)
  const known = [...Object.keys(OTHER_MEANING), ...Object.keys(OTHER_NAME), ...sentences]
  expect(found.filter((one) => !known.includes(one)).sort()).toEqual([])
  // What was mended leaves the lists.
  expect(known.filter((one) => !found.includes(one))).toEqual([])
})

test.each(SENTENCES)('the sentence in %s says the bound %s of the contract', (file, _, text) => {
  expect(readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8')).toContain(text)
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
  ['a power', 'const LIMIT = 4 * 2 ** 22', 'x.ts 16777216'],
  ['a product of binary units', 'const LIMIT = 16 * 1024 * 1024', 'x.ts 16777216'],
  ['a top-up in base units', 'const LEAST = 5_000_000n', 'x.ts 5000000n'],
  ['a top-up in a sentence', "const text = 'at least 5 USDC'", 'x.ts $5'],
  ['megabytes in a sentence', "const text = 'up to 25 MB'", 'x.ts 25 MB'],
  ['minutes in a sentence', 'const text = `at most 10 minutes`', 'x.ts 10 minutes'],
  ['its own name', 'export const MAX_FILE_BYTES = 1', 'x.ts MAX_FILE_BYTES'],
])('%s is found', (_, source, fault) => {
  expect(secondHomes('x.ts', source)).toEqual([fault])
})

type Node = { type: string; [key: string]: unknown }

function secondHomes(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const found = new Set<string>()
  const nanos = new Set<Node>()
  const see = (text: string) => found.add(`${file} ${text}`)
  const number = (value: number) => {
    // A length may be written in milliseconds.
    if (NUMBERS.has(value) || (NUMBERS.has(value / 1_000) && value === limits.MAX_AUDIO_SECONDS * 1_000))
      see(`${value}`)
  }
  const words = (text: string) => {
    for (const [, before, after] of text.matchAll(
      /\$(\d[\d,]*(?:\.\d\d)?)(?!\d)|(?<![\d.,])(\d[\d,]*(?:\.\d\d)?) USDC?/g,
    )) {
      const amount = before ?? after ?? ''
      const dollars = Number(amount.replaceAll(',', ''))
      if (DOLLARS.has(dollars) || (after !== undefined && TOP_UP_DOLLARS.has(dollars))) see(`$${amount}`)
    }
    for (const [said, amount = '', unit = ''] of text.matchAll(SAID)) {
      const { suffix, size } = UNITS[unit]!
      const value = Number(amount.replaceAll(',', '')) * size
      if (ALL_NUMBERS.some(([name, bound]) => suffix.test(name) && bound === value)) see(said)
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
      else if (typeof value === 'bigint' && BASE_UNITS.has(value) && !nanos.has(node)) see(`${value}n`)
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
      if (name === 'nano' && given) nanos.add(given)
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

const NAMED_UNITS: Record<string, number> = { MEGABYTE: 1e6, MB: 1e6, MEBIBYTE: 2 ** 20, MIB: 2 ** 20, KIB: 2 ** 10 }

function numberIn(node: Node): number | undefined {
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined
  if (node.type === 'Identifier') return NAMED_UNITS[String(node.name)]
  if (node.type !== 'BinaryExpression' || (node.operator !== '*' && node.operator !== '**')) return undefined
  const [left, right] = [numberIn(node.left as Node), numberIn(node.right as Node)]
  if (left === undefined || right === undefined) return undefined
  return node.operator === '*' ? left * right : left ** right
}
