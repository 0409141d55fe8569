import { performance } from 'node:perf_hooks'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { recordOutcome } from '@/lib/pipeline/admit'
import { recoverSigner } from '@/lib/services/identity/sign-in/evm'
import { encodeHeader, signedHeaders, signedPayload, testWallet } from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext } from '@/lib/services/identity/testing'

await testDatabase()
beforeEach(() => resetPerProcess('failure-budget'))

const TEXT = 'a text'
const wallet = testWallet()
const signature = (await wallet.signMessage(TEXT)) as `0x${string}`
const recover = (client: string, assertAllowed = () => {}) =>
  recoverSigner({ text: TEXT, signature, client, assertAllowed })

/** Failures count for thirty seconds, which a busy machine needs for some signatures. */
function stopTheWindow(): void {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => now.mockRestore())
}

/** Sends a bad signature as the pipeline would: its failure counts. */
async function attempt(clientAddress: string, header: string): Promise<number> {
  const context = testContext({ clientAddress, headers: { 'SIGN-IN-WITH-X': header } })
  try {
    await verifySignIn(context, { mayRepeat: false })
    return 200
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    recordOutcome(context, error.status)
    return error.status
  }
}

const badHeader = async () => {
  const other = await signedPayload(testWallet())
  return encodeHeader({ ...(await signedPayload(wallet)), signature: other.signature })
}

test('a client whose proofs keep failing is refused before any curve', async () => {
  stopTheWindow()
  const statuses: number[] = []
  for (let n = 0; n < 30; n++) statuses.push(await attempt('192.0.2.1', await badHeader()))
  expect(statuses.slice(0, 21)).toEqual(Array(21).fill(401))
  expect(statuses.slice(21)).toEqual(Array(9).fill(429))
  const good = async () => (await signedHeaders(testWallet()))['SIGN-IN-WITH-X']!
  expect(await attempt('192.0.2.1', (await signedHeaders(wallet))['SIGN-IN-WITH-X']!)).toBe(429)
  // Others behind the address sign in, and the wallet does from elsewhere.
  expect(await attempt('192.0.2.1', await good())).toBe(200)
  expect(await attempt('192.0.2.2', (await signedHeaders(wallet))['SIGN-IN-WITH-X']!)).toBe(200)
})

test('a client that claims another wallet each time is refused before any curve too', async () => {
  stopTheWindow()
  const [{ signature }] = [await signedPayload(testWallet())]
  const statuses: number[] = []
  for (let n = 0; n < 105; n++) {
    const header = encodeHeader({ ...(await signedPayload(testWallet())), signature })
    statuses.push(await attempt('192.0.2.9', header))
  }
  expect(statuses.slice(0, 101)).toEqual(Array(101).fill(401))
  expect(statuses.slice(101)).toEqual(Array(4).fill(429))
})

test('what was sent before the first failure was known is refused when its turn comes', async () => {
  const header = await badHeader()
  const statuses = await Promise.all(Array.from({ length: 90 }, () => attempt('192.0.2.3', header)))
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(30)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(60)
})

test('clients take turns: one with many waits for itself', async () => {
  const order: string[] = []
  const ask = (client: string) => recover(client).then(() => order.push(client))
  await Promise.all([...Array.from({ length: 50 }, () => ask('many')), ask('one')])
  expect(order.indexOf('one')).toBeLessThan(10)
})

test('more than a client may have waiting is put off, and no other client is', async () => {
  const asked = Promise.allSettled(Array.from({ length: 130 }, () => recover('many')))
  expect(await recover('other')).toBe(wallet.address.toLowerCase())
  const refused = (await asked).filter((result) => result.status === 'rejected')
  expect(refused.length).toBeGreaterThan(20)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 })
})

test('a turn that was lost costs no curve', async () => {
  const lost = new ApiError('RATE_LIMIT_EXCEEDED', 'lost')
  await expect(
    recover('a', () => {
      throw lost
    }),
  ).rejects.toBe(lost)
  expect(await recover('a')).toBe(wallet.address.toLowerCase())
})

test('the event loop is free while signatures are checked', async () => {
  await recover('warm')
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  turn()
  await Promise.all(Array.from({ length: 90 }, () => recover('busy')))
  isOver = true
  // On the loop a signature would take a turn, or all of them one.
  expect(turns).toBeGreaterThan(10 * 90)
})
