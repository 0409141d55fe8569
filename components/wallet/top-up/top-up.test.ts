import { expect, test } from 'vitest'
import { problemMessage, waitMessage } from '@/components/wallet/top-up/messages'
import { createTopUp, type TopUpWorld } from '@/components/wallet/top-up/store'
import { MAX_CHECKS, type Outcome, type PendingPayment, type TopUp } from '@/components/wallet/top-up/top-up'
import { problemOf } from '@/components/wallet/top-up/wire'
import { WalletError } from '@/lib/browser/wallet-port'

const TEN = 10_000_000n
const CREDITED: Outcome = {
  kind: 'credited',
  receipt: { amountUsd: 10, newBalanceUsd: 12.5, paymentId: 'payment_1', family: 'evm' },
}
const pending = (fields: Partial<Extract<Outcome, { kind: 'unknown' }>> = {}): Outcome => ({
  kind: 'unknown',
  why: 'pending',
  retryAfterMs: 5_000,
  ...fields,
})

function stage(outcomes: (Outcome | Promise<Outcome>)[], overrides: Partial<TopUpWorld> = {}) {
  const seen = {
    asked: 0,
    signed: 0,
    sent: [] as PendingPayment[],
    kept: new Map<string, PendingPayment>(),
    waits: [] as number[],
    credited: 0,
    steps: [] as TopUp['step'][],
  }
  let clock = 1_000
  const world: TopUpWorld = {
    requirements: async () => {
      seen.asked += 1
      return { x402Version: 2, accepts: [] }
    },
    sign: async () => {
      seen.signed += 1
      return { wallet: '0x12', family: 'evm', header: `signed-${seen.signed}` }
    },
    send: async (payment) => {
      seen.sent.push(payment)
      return (await outcomes.shift()) ?? pending()
    },
    keep: (payment) => void seen.kept.set(payment.id, payment),
    drop: (id) => void seen.kept.delete(id),
    problemOf,
    now: () => clock,
    wait: async (ms) => {
      seen.waits.push(ms)
      clock += ms
    },
    newId: () => `kept-${seen.signed}`,
    onCredited: () => {
      seen.credited += 1
    },
    ...overrides,
  }
  const topUp = createTopUp(world)
  topUp.store.subscribe(() => seen.steps.push(topUp.store.getState().step))
  return { topUp, seen }
}

test('a payment is asked for, signed, sent and credited, and nothing of it is left behind', async () => {
  const { topUp, seen } = stage([CREDITED])
  await topUp.pay(TEN)
  expect(seen.steps).toEqual(['asking', 'signing', 'sending', 'credited'])
  expect(topUp.store.getState()).toMatchObject({ step: 'credited', receipt: { amountUsd: 10 } })
  expect(seen.sent[0]).toMatchObject({ header: 'signed-1', units: TEN })
  expect(seen.kept.size).toBe(0)
  expect(seen.credited).toBe(1)
})

test('a second click asks the wallet for nothing', async () => {
  const { topUp, seen } = stage([CREDITED])
  await Promise.all([topUp.pay(TEN), topUp.pay(TEN), topUp.pay(TEN)])
  expect(seen).toMatchObject({ asked: 1, signed: 1, credited: 1 })
  expect(seen.sent).toHaveLength(1)
})

test('the payment is kept before it is sent, with the id that the service names it by', async () => {
  const { promise: reply, resolve } = Promise.withResolvers<Outcome>()
  const { topUp, seen } = stage([reply], { wait: () => new Promise(() => undefined) })
  void topUp.pay(TEN)
  await expect.poll(() => seen.sent.length).toBe(1)
  expect([...seen.kept.values()]).toMatchObject([{ header: 'signed-1' }])
  resolve(pending({ paymentId: 'payment_7' }))
  await expect.poll(() => topUp.store.getState().step).toBe('confirming')
  expect([...seen.kept.values()]).toMatchObject([{ header: 'signed-1', paymentId: 'payment_7' }])
})

test('an open outcome sends the same payment again when the service says so, and signs nothing', async () => {
  const { topUp, seen } = stage([
    pending({ retryAfterMs: 3_000 }),
    pending({ why: 'in-progress', retryAfterMs: 9_000 }),
    pending({ why: 'lost' }),
    CREDITED,
  ])
  await topUp.pay(TEN)
  expect(seen.signed).toBe(1)
  expect(new Set(seen.sent.map(({ header }) => header))).toEqual(new Set(['signed-1']))
  expect(seen.waits).toEqual([3_000, 9_000, 5_000])
  expect(seen.credited).toBe(1)
})

test('after many checks it waits for a click, and each click is one check', async () => {
  const { topUp, seen } = stage([])
  await topUp.pay(TEN)
  const state = topUp.store.getState()
  expect(seen.sent).toHaveLength(MAX_CHECKS)
  if (state.step !== 'confirming') throw new Error(state.step)
  expect(state.retryAt).toBeUndefined()
  expect(waitMessage(state).title).toBe('The payment is taking longer than usual.')
  await topUp.check()
  expect(seen.sent).toHaveLength(MAX_CHECKS + 1)
  expect(seen.signed).toBe(1)
})

test('a click on “Check again” takes the place of the check that was due', async () => {
  const { promise: due, resolve } = Promise.withResolvers<void>()
  const { topUp, seen } = stage([pending(), CREDITED], { wait: () => due })
  const paying = topUp.pay(TEN)
  await expect.poll(() => topUp.store.getState().step).toBe('confirming')
  await topUp.check()
  resolve()
  await paying
  expect(seen.sent).toHaveLength(2)
  expect(seen.credited).toBe(1)
})

test('a payment that a reload left is sent again and never signed again', async () => {
  const first = stage([new Promise<Outcome>(() => undefined)])
  void first.topUp.pay(TEN)
  await expect.poll(() => first.seen.sent.length).toBe(1)
  const [kept] = first.seen.kept.values()

  const { topUp, seen } = stage([pending(), CREDITED])
  await topUp.resume(kept as PendingPayment)
  expect(seen.signed).toBe(0)
  expect(seen.sent.map(({ header }) => header)).toEqual(['signed-1', 'signed-1'])
  expect(topUp.store.getState()).toMatchObject({ step: 'credited' })
})

test('what the wallet signs after a cancel is not sent', async () => {
  const { promise: signature, resolve } = Promise.withResolvers<Omit<PendingPayment, 'id' | 'signedAt' | 'units'>>()
  const { topUp, seen } = stage([CREDITED], { sign: () => signature })
  const paying = topUp.pay(TEN)
  await expect.poll(() => topUp.store.getState().step).toBe('signing')
  topUp.cancel()
  resolve({ wallet: '0x12', family: 'evm', header: 'late' })
  await paying
  expect(topUp.store.getState()).toMatchObject({ step: 'choosing', problem: { kind: 'cancelled' } })
  expect(seen.sent).toEqual([])
  expect(seen.kept.size).toBe(0)
})

test('a late signature does not join the top-up that was begun after the cancel', async () => {
  const signatures = [
    Promise.withResolvers<never>(),
    Promise.withResolvers<Omit<PendingPayment, 'id' | 'signedAt' | 'units'>>(),
  ]
  let asked = 0
  const { topUp, seen } = stage([CREDITED], {
    sign: () => (signatures[asked++] as PromiseWithResolvers<never>).promise,
  })
  const first = topUp.pay(TEN)
  await expect.poll(() => topUp.store.getState().step).toBe('signing')
  topUp.cancel()
  const second = topUp.pay(5_000_000n)
  await expect.poll(() => asked).toBe(2)
  signatures[0]?.reject(new WalletError('rejected', 'No.'))
  await first
  expect(topUp.store.getState().step).toBe('signing')
  signatures[1]?.resolve({ wallet: '0x12', family: 'evm', header: 'second' } as never)
  await second
  expect(seen.sent).toMatchObject([{ header: 'second', units: 5_000_000n }])
})

test('what was sent cannot be cancelled or replaced by another', async () => {
  const { topUp, seen } = stage([new Promise<Outcome>(() => undefined)])
  void topUp.pay(TEN)
  await expect.poll(() => seen.sent.length).toBe(1)
  topUp.cancel()
  topUp.reset()
  await topUp.pay(TEN)
  expect(topUp.store.getState().step).toBe('sending')
  expect(seen.signed).toBe(1)
})

test('a refusal ends the payment and leaves the sheet where it was, and one can pay again', async () => {
  const { topUp, seen } = stage([{ kind: 'refused', problem: { kind: 'settlement-failed' } }, CREDITED])
  await topUp.pay(TEN)
  expect(topUp.store.getState()).toMatchObject({ step: 'choosing', problem: { kind: 'settlement-failed' } })
  expect(seen.kept.size).toBe(0)
  await topUp.pay(TEN)
  expect(seen.signed).toBe(2)
  expect(topUp.store.getState().step).toBe('credited')
})

test.each(['rejected', 'locked', 'timeout', 'unsupported', 'changed-account', 'failed'] as const)(
  'a wallet that says “%s” leaves nothing sent, and the words say that nothing was paid',
  async (reason) => {
    const { topUp, seen } = stage([], { sign: () => Promise.reject(new WalletError(reason, 'Words of the wallet')) })
    await topUp.pay(TEN)
    const state = topUp.store.getState()
    if (state.step !== 'choosing' || !state.problem) throw new Error(state.step)
    expect(problemMessage(state.problem).text).toContain('You were not charged.')
    expect(problemMessage(state.problem).text).not.toMatch(/\w You were/)
    expect(seen.sent).toEqual([])
  },
)

test('no words of an open outcome claim that nothing was paid', () => {
  for (const why of ['pending', 'in-progress', 'lost', 'busy'] as const) {
    for (const retryAt of [undefined, 1]) {
      const payment = { id: '1', wallet: '', family: 'evm', units: TEN, header: '', signedAt: 0 } as const
      const { title, text } = waitMessage({
        attempt: 1,
        step: 'confirming',
        checks: 1,
        payment,
        why,
        ...(retryAt && { retryAt }),
      })
      expect(`${title} ${text}`).not.toMatch(/not charged/i)
    }
  }
})
