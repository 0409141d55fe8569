import { beforeEach, expect, test } from 'vitest'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { config } from '@/lib/kernel/config'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { countNewWallet, newWalletTerms } from '@/lib/services/identity/sign-in/claim-nonce'
import { signedHeaders, type TestWallet, testWallet } from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { balancesOf } from '@/lib/services/ledger/ledger'

const database = await testDatabase()
beforeEach(() => resetPerProcess('new-wallets'))

const signIn = async (wallet: TestWallet, clientAddress: string, headers?: Record<string, string>) =>
  verifySignIn(testContext({ clientAddress, headers: headers ?? (await signedHeaders(wallet)) }), { mayRepeat: false })

const CROWDED = { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: expect.any(Number) }

test('an address brings a thousand new wallets an hour; whoever was here before still signs in', async () => {
  const [known, late] = [testWallet(), testWallet('solana')]
  await signIn(known, '192.0.2.1')
  for (let n = 1; n < 1_000; n++) countNewWallet('192.0.2.1', config().welcomeCredit)
  const headers = await signedHeaders(late)
  await expect(signIn(late, '192.0.2.1', headers)).rejects.toMatchObject(CROWDED)
  expect(await database.query('select 1 from account where ref = $1', [late.address])).toEqual([])
  expect(await signIn(known, '192.0.2.1')).toMatchObject({ isNew: false })
  // The proof was not used up.
  expect(await signIn(late, '192.0.2.2', headers)).toMatchObject({ isNew: true })
  expect(await signIn(late, '192.0.2.1')).toMatchObject({ isNew: false })
})

test('of many that come at once from a crowded address the known are admitted, the new are not', async () => {
  const [known, ...fresh] = [testWallet(), testWallet(), testWallet()]
  await signIn(known, '192.0.2.1')
  for (let n = 1; n < 1_000; n++) countNewWallet('192.0.2.1', config().welcomeCredit)
  const outcomes = await Promise.all(
    [...fresh, known, ...fresh].map((wallet) =>
      signIn(wallet, '192.0.2.1').then(
        () => 'admitted',
        ({ code }) => code,
      ),
    ),
  )
  const refused = ['RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']
  expect(outcomes).toEqual([...refused, 'admitted', ...refused])
})

test('a wallet counts once, however often it signs in', async () => {
  const wallet = testWallet()
  await Promise.all([1, 2, 3].map(() => signIn(wallet, '192.0.2.3')))
  for (let n = 1; n < 999; n++) countNewWallet('192.0.2.3', config().welcomeCredit)
  expect(newWalletTerms('192.0.2.3').isAllowed).toBe(true)
})

test('the welcome credit is given 200 times an hour to an address and 1,000 times to all; then wallets come without', async () => {
  await withEnvironment({ WELCOME_CREDIT_USD: '2' }, async () => {
    const creditOf = async (client: string) => (await balancesOf((await signIn(testWallet(), client)).accountId)).USD
    for (let n = 0; n < 199; n++) countNewWallet('192.0.2.4', usd('2'))
    expect(await creditOf('192.0.2.4')).toBe(usd('2'))
    expect(await creditOf('192.0.2.4')).toBe(0n)
    expect(await creditOf('192.0.2.5')).toBe(usd('2'))
    for (let n = 0; n < 798; n++) countNewWallet(`192.0.2.${n % 5}`, usd('2'))
    expect(await creditOf('192.0.2.6')).toBe(usd('2'))
    expect(await creditOf('192.0.2.7')).toBe(0n)
  })
})
