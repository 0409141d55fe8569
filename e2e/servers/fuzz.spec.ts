import { watchMemory } from '@/bench/process-watch'
import { admin } from '@/bench/product'
import { chargedByLedger, chargedByLog, chargedFailures, requestLines } from '@/e2e/servers/fuzz/books'
import { credentialsOf } from '@/e2e/servers/fuzz/callers'
import { newFaults } from '@/e2e/servers/fuzz/faults'
import { requestOf } from '@/e2e/servers/fuzz/requests'
import { curlOf, newAgent, send } from '@/e2e/servers/fuzz/send'
import { type FuzzStage, openFuzzStage } from '@/e2e/servers/fuzz/stage'
import { faultsOf } from '@/e2e/servers/fuzz/verdict'
import { expect, test } from '@/e2e/testing/contract-test'

/**
 * Requests made of the interface's own description, sound and broken, to the built server: whatever comes, the reply is one
 * that the description promises, nobody is charged for a failure, and the server stays well.
 */

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 5_000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
/** One request alone, by its number. */
const ONLY = process.env.FUZZ_ONLY === undefined ? undefined : Number(process.env.FUZZ_ONLY)
const AT_A_TIME = 12
const MS_EACH = 60
/** What the server may take more than at the start, whatever it was sent. */
const MAX_GROWTH_BYTES = 700_000_000

let fuzz: FuzzStage

test.beforeAll(async () => {
  test.setTimeout(240_000)
  fuzz = await openFuzzStage()
})
test.afterAll(async () => fuzz?.close())

test(`${REQUESTS} requests made of the description get replies that it promises`, async () => {
  test.setTimeout(120_000 + REQUESTS * MS_EACH)
  const { stage, check, operations, fittingOf } = fuzz
  const { baseUrl } = stage
  const memory = watchMemory(stage.product.pid)
  const agent = newAgent(AT_A_TIME)
  const faults = newFaults(SEED)

  async function sendOne(number: number): Promise<void> {
    const request = requestOf(SEED, number, operations, fittingOf)
    const credentials = await credentialsOf(request.caller, request.draw, { ...fuzz, baseUrl })
    const reply = await send(request, credentials, { baseUrl, agent }).catch((error: Error) => error)
    const isLost = reply instanceof Error
    const found = isLost ? [`no reply: ${reply.message}`] : faultsOf(request, reply, check)
    const text = isLost ? '' : `${reply.status} ${reply.text}`
    for (const fault of found) faults.add(fault, { request, curl: curlOf(request, credentials), reply: text })
  }

  const numbers = ONLY === undefined ? Array.from({ length: REQUESTS }, (_, at) => at) : [ONLY]
  const waiting = numbers.values()
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (const number of waiting) await sendOne(number)
    }),
  )
  agent.destroy()
  const peak = memory.stop()
  expect(faults.report()).toBe('')
  expect(peak.server - memory.before).toBeLessThan(MAX_GROWTH_BYTES)
})

test('afterwards the server is well, its books are right, and nobody paid for a failure', async () => {
  const { stage } = fuzz
  expect((await fetch(`${stage.baseUrl}/models`)).status).toBe(200)
  await admin(stage.product, 'ledger', 'check')
  const log = await stage.log()
  for (const trouble of ['unexpected error', 'uncaught', 'a handler threw', 'a hold was left']) {
    expect(log).not.toContain(trouble)
  }
  expect(chargedFailures(requestLines(log))).toEqual([])
  await stage.product.stop()
  expect(await chargedByLedger(stage)).toEqual(chargedByLog(requestLines(await stage.log())))
})
