import { type Covered, cover } from '@/e2e/servers/coverage/cover'
import { testFinder } from '@/e2e/servers/coverage/find-test'
import { coveredOperation } from '@/e2e/servers/coverage/operations'
import { CONTRACT_ROWS } from '@/e2e/servers/coverage/rows'
import { ACCOUNT_ROWS } from '@/e2e/servers/coverage/rows-of-accounts'
import { otherAccount } from '@/e2e/servers/coverage/strangers'
import { coverageTable, rowsTable } from '@/e2e/servers/coverage/table'
import { chargedByLedger, chargedByLog, chargedFailures, requestLines } from '@/e2e/servers/fuzz/books'
import { type FuzzStage, openFuzzStage } from '@/e2e/servers/fuzz/stage'
import { expectPart } from '@/e2e/testing/compatibility-page'
import { expect, test } from '@/e2e/testing/contract-test'

/** Every operation of the interface, asked everything that its description tells how to ask. */

const COVERING_MS = 240_000

/** Bodies that the contract calls closed, and those that it calls open. Of the others it says nothing. */
const CLOSED = [
  'POST /embeddings',
  'POST /image/generate',
  'POST /images/generations',
  'POST /image/edit',
  'POST /image/multi-edit',
  'POST /audio/speech',
  'POST /audio/quote',
  'POST /audio/queue',
  'POST /video/complete',
  'POST /video/transcriptions',
  'POST /api_keys',
  'PATCH /api_keys',
  'POST /api_keys/generate_web3_key',
]
const OPEN = [
  'POST /chat/completions',
  'POST /responses',
  'POST /image/upscale',
  'POST /video/quote',
  'POST /video/queue',
  'POST /video/retrieve',
  'POST /augment/search',
  'POST /augment/scrape',
  'POST /augment/text-parser',
]

// Each goes on from what the first has seen.
test.describe.configure({ mode: 'serial' })

let fuzz: FuzzStage
const covered = new Map<string, Covered>()

test.beforeAll(async () => {
  test.setTimeout(240_000)
  fuzz = await openFuzzStage()
})
test.afterAll(async () => fuzz?.close())

test('every operation answers a sound request, and refuses what it has to, by name', async () => {
  test.setTimeout(COVERING_MS)
  const other = await otherAccount(fuzz)
  const faults: string[] = []
  for (const { place } of fuzz.operations) {
    const seen = await cover(coveredOperation(place, fuzz), fuzz, other)
    covered.set(place, seen)
    faults.push(...seen.faults.map((fault) => `${place}: ${fault}`))
  }
  expect(faults.join('\n')).toBe('')
})

test('bodies are closed where the contract closes them, and open where it opens them', () => {
  const of = (places: string[]) => places.map((place) => [place, covered.get(place)?.unknownFields])
  expect(of(CLOSED)).toEqual(CLOSED.map((place) => [place, 'refused']))
  expect(of(OPEN)).toEqual(OPEN.map((place) => [place, 'ignored']))
})

test('nobody was charged for what was refused, and the books are right', async () => {
  const { stage } = fuzz
  expect(chargedFailures(requestLines(await stage.log()))).toEqual([])
  await stage.product.stop()
  const lines = requestLines(await stage.log())
  expect(await chargedByLedger(stage)).toEqual(chargedByLog(lines))
})

test('the documentation says what was seen', async () => {
  await expectPart(coverageTable(covered))
})

test('every row of the contract about what happens has its test', async () => {
  await expectPart(rowsTable({ ...CONTRACT_ROWS, ...ACCOUNT_ROWS }, await testFinder()))
})
