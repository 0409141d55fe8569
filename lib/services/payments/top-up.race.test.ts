import { expect, test } from 'vitest'
import { ApiError } from '@/lib/contract/errors'
import type { Database } from '@/lib/db/database'
import { realDatabase } from '@/lib/db/testing'
import { type Rail, rails } from '@/lib/services/chains/rails'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { chainOf } from '@/lib/services/payments/chain'
import { fromClient } from '@/lib/services/payments/facilitator'
import { localClient } from '@/lib/services/payments/facilitator-local'
import type { Paid } from '@/lib/services/payments/payment-types'
import { readPayment } from '@/lib/services/payments/read-payment'
import { reconcilePayments, scanRails } from '@/lib/services/payments/reconciler'
import { createStore, type PaymentStore } from '@/lib/services/payments/store'
import { payV2, type TestWallet, termsOf, testWallet, toBase64 } from '@/lib/services/payments/testing'
import { createTopUps } from '@/lib/services/payments/top-up'
import { testChains } from '@/sandbox/testing'

const PROCESSES = 3
const COPIES = 50

const server = await realDatabase()
const chains = await testChains()
const databases = await Promise.all(Array.from({ length: PROCESSES }, () => server.open(5)))
const database = databases[0] as Database
/** Each with its own pool, facilitator and gas key, as processes have. */
const processes = await Promise.all(
  databases.map(async (own) => {
    const store = createStore(async () => own)
    const facilitator = fromClient(await localClient(chains.sandbox))
    const tools = { store, rails, chainOf, database: async () => own }
    return { topUps: createTopUps({ store, chainOf, facilitator: async () => facilitator }), tools }
  }),
)
const processOf = (n: number) => processes[n % PROCESSES] as (typeof processes)[number]

const sign = async (wallet: TestWallet) => payV2(chains.sandbox, wallet, await termsOf(chains.sandbox, wallet.family))
const spell = (payment: object, n: number) => {
  const fields = Object.entries({ ...payment, note: n })
  const text = toBase64(Object.fromEntries(n % 3 ? fields : fields.reverse()))
  return n % 2 ? text : text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
const send = async (header: string, n: number): Promise<string> => {
  const payment = await readPayment(header, rails())
  return processOf(n)
    .topUps.credit(payment)
    .then(
      () => 'OK',
      (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error)),
    )
}
const creditsOf = async (wallet: string) =>
  (
    await database.query<{ amount: string }>(
      'select e.amount::text as amount from entry e join account a on a.id = e.account_id where a.ref = $1',
      [wallet],
    )
  ).map(({ amount }) => amount)

async function expectSound(): Promise<void> {
  const findings = await checkLedger(database, { depth: 'full' })
  expect(findings.filter((finding) => finding.broken > 0)).toEqual([])
}

test.each(['evm', 'solana'] as const)(
  'on %s, 50 copies in many spellings and three processes make one credit',
  async (family) => {
    const wallet = await testWallet(chains, family)
    const payment = await sign(wallet)
    const codes = await Promise.all(Array.from({ length: COPIES }, (_, n) => send(spell(payment, n), n)))
    // A chain that answers late leaves the outcome open: the client is told to send the same payment again.
    for (const code of codes) expect(['OK', 'PAYMENT_IN_PROGRESS', 'SETTLEMENT_PENDING']).toContain(code)
    await expect.poll(() => send(spell(payment, 0), 0)).toBe('OK')
    expect(await creditsOf(wallet.address)).toEqual(['5000000000'])
    await expectSound()
  },
)

test('many payments of one wallet at once are all credited, each once', async () => {
  const wallet = await testWallet(chains, 'evm')
  const payments = await Promise.all(Array.from({ length: 12 }, () => sign(wallet)))
  const codes = await Promise.all(payments.map((payment, n) => send(toBase64(payment), n)))
  expect(codes).toEqual(payments.map(() => 'OK'))
  expect(await creditsOf(wallet.address)).toEqual(payments.map(() => '5000000000'))
  await expectSound()
})

test('clients, background and scans of all processes together credit a payment once', async () => {
  await scanRails(processOf(0).tools, { isForced: true })
  const wallets: TestWallet[] = []
  for (const family of ['evm', 'solana', 'evm', 'solana'] as const) wallets.push(await testWallet(chains, family))
  const payments = await Promise.all(wallets.map(sign))
  const clients = payments.flatMap((payment) => Array.from({ length: 6 }, (_, n) => send(spell(payment, n), n)))
  const workers = Array.from({ length: 12 }, async (_, n) => {
    const { tools } = processOf(n)
    await (n % 2 ? reconcilePayments(tools, { isEarly: true }) : scanRails(tools, { isForced: true }))
  })
  await Promise.all([...clients, ...workers])
  await Promise.all(processes.map(({ tools }) => reconcilePayments(tools, { isEarly: true })))
  for (const { address } of wallets) expect(await creditsOf(address)).toEqual(['5000000000'])
  await expectSound()
})

test('of many that see a payment credited at once, one may serve its request', async () => {
  const payment = await readPayment(toBase64(await sign(await testWallet(chains, 'evm'))), rails())
  const row = await processOf(0).tools.store.receive(payment, 2n ** 62n, 'proof')
  const { amount } = payment
  const paid: Paid = { status: 'paid', transaction: '0x1', block: 1n, amount, isSafe: true, isFinal: true }
  const credits = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      processOf(n).tools.store.credit(row?.id ?? '', paid, n % 4 ? 'proof' : 'other'),
    ),
  )
  expect(credits.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(credits.filter(({ hasServed }) => hasServed)).toHaveLength(1)
  expect(await creditsOf(payment.payer)).toEqual(['5000000000'])
  await expectSound()
})

test('a chain that cannot make up its mind, looked at by all processes, leaves the wallet what the payment says last', async () => {
  const { address } = await testWallet(chains, 'evm')
  const { store } = processOf(0).tools
  const rail = rails()[0] as Rail
  const paid: Paid = { status: 'paid', transaction: '0x2', block: 1n, amount: 7n, isSafe: true, isFinal: false }
  const { id } = await store.adopt({ ...paid, key: `test:${address}`, payer: address }, rail)
  const all = <T>(run: (store: PaymentStore) => Promise<T>) =>
    Promise.all(processes.map(({ tools }) => run(tools.store)))
  for (let round = 0; round < 10; round++) {
    await all((own) => own.credit(id, paid))
    const leased = await all(async (own) => (await own.due(50, true, [])).find((row) => row.id === id))
    await Promise.all(
      leased.flatMap((row, n) => (row ? [processOf(n).tools.store.reverse(row, 'test'), store.credit(id, paid)] : [])),
    )
  }
  const [state] = await database.query<{ state: string; reversals: number }>(
    'select state, reversals from payment where id = $1',
    [id],
  )
  expect(state?.reversals).toBeGreaterThan(5)
  const sum = (await creditsOf(address)).reduce((total, amount) => total + Number(amount), 0)
  expect(sum).toBe(state?.state === 'credited' ? 7_000 : 0)
  await expectSound()
})
