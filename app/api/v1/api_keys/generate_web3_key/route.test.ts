import { SignJWT } from 'jose'
import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi, parseEther, publicActions } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { GET, POST } from '@/app/api/v1/api_keys/generate_web3_key/route'
import { usd } from '@/lib/contract/money'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { stopClock } from '@/lib/kernel/testing/time'
import { admit } from '@/lib/pipeline/admit'
import { installSandbox } from '@/lib/services/chains/sandbox'
import { verifyKey } from '@/lib/services/identity/credentials'
import { signedHeaders, testWallet } from '@/lib/services/identity/sign-in/testing'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()
const { staking } = chains.sandbox
const ORIGIN = 'http://localhost:3000'
const route = { params: Promise.resolve({}) }
const url = `${ORIGIN}/api/v1/api_keys/generate_web3_key`
const STAKE = parseAbi(['function approve(address, uint256) returns (bool)', 'function stake(uint256)'])

/** Has staked one token. */
const staker = privateKeyToAccount(generatePrivateKey())

beforeAll(async () => {
  await chains.fundEvm(staker.address, 0n)
  const client = createWalletClient({
    account: staker,
    chain: base,
    transport: http(chains.sandbox.evmUrl),
  }).extend(publicActions)
  const amount = parseEther('1')
  for (const call of [
    { address: staking.token as Hex, functionName: 'approve', args: [staking.contract as Hex, amount] },
    { address: staking.contract as Hex, functionName: 'stake', args: [amount] },
  ] as const) {
    const hash = await client.writeContract({ abi: STAKE, ...call } as Parameters<typeof client.writeContract>[0])
    await client.waitForTransactionReceipt({ hash })
  }
})
beforeEach(() => {
  resetPerProcess('failure-budget')
  resetPerProcess('windows')
})

async function getToken(): Promise<string> {
  const response = await GET(new Request(url), route)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  return (await response.json()).data.token
}

async function post(body: unknown): Promise<{ status: number; body: Record<string, unknown> & { error?: string } }> {
  const headers = { 'content-type': 'application/json' }
  const response = await POST(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }), route)
  return { status: response.status, body: await response.json() }
}

async function signed(account: PrivateKeyAccount = staker, token?: string) {
  const text = token ?? (await getToken())
  const signature = await account.signMessage({ message: text })
  return { address: account.address, signature, token: text, apiKeyType: 'INFERENCE' }
}

const refused = (says: string | RegExp) => ({
  status: 400,
  body: { code: 'INVALID_REQUEST', error: expect.stringMatching(says) },
})

describe('a wallet with staked tokens', () => {
  test('gets a key for a signed token, in the wallet’s own account', async () => {
    const { status, body } = await post(await signed())
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        apiKey: expect.stringMatching(/^SERVICE_INFERENCE_KEY_\w{49}$/),
        apiKeyType: 'INFERENCE',
        description: 'Web3 API Key',
        consumptionLimit: { usd: null, diem: null, vcu: null },
        limitPeriod: 'EPOCH',
        modelPrivacy: 'ALL',
        expiresAt: null,
      },
    })
    const key = await verifyKey((body.data as { apiKey: string }).apiKey)
    const text = {
      family: 'evm',
      address: staker.address,
      signMessage: (message: string) => staker.signMessage({ message }),
    }
    const wallet = await admit(
      testContext({ headers: await signedHeaders(text as ReturnType<typeof testWallet>) }),
      'paid',
    )
    expect(wallet.accountId).toBe(key?.accountId)
  })

  test('with limits, a period, a privacy and an end', async () => {
    const { body } = await post({
      ...(await signed()),
      apiKeyType: 'ADMIN',
      description: 'Mine',
      consumptionLimit: { usd: 25.5, diem: null },
      limitPeriod: 'MONTH',
      modelPrivacy: 'PRIVATE_ONLY',
      expiresAt: '2099-01-31',
    })
    expect(body.data).toMatchObject({
      apiKey: expect.stringMatching(/^SERVICE_ADMIN_KEY_/),
      apiKeyType: 'ADMIN',
      description: 'Mine',
      consumptionLimit: { usd: 25.5, diem: null, vcu: null },
      limitPeriod: 'MONTH',
      modelPrivacy: 'PRIVATE_ONLY',
      expiresAt: '2099-01-31T00:00:00.000Z',
    })
    const rows = await database.query('select limit_usd::text as usd from api_key where id = $1', [
      (body.data as { id: string }).id,
    ])
    expect(rows).toEqual([{ usd: usd('25.5').toString() }])
  })

  test('that is a contract gets one too, by what it says of the signature', async () => {
    const address: Hex = `0x${'c1'.repeat(20)}`
    // Says of every signature that it is its own.
    await chains.evm('anvil_setCode', [address, '0x631626ba7e60e01b5f5260205ff3'])
    await chains.fundEvm(address, 0n)
    await chains.evm('anvil_impersonateAccount', [address])
    const amount = parseEther('1')
    for (const [to, data] of [
      [
        staking.token,
        encodeFunctionData({ abi: STAKE, functionName: 'approve', args: [staking.contract as Hex, amount] }),
      ],
      [staking.contract, encodeFunctionData({ abi: STAKE, functionName: 'stake', args: [amount] })],
    ]) {
      await chains.evm('eth_sendTransaction', [{ from: address, to, data }])
    }
    const body = { address, signature: `0x${'11'.repeat(70)}`, token: await getToken(), apiKeyType: 'INFERENCE' }
    expect(await post(body)).toMatchObject({ status: 200, body: { success: true } })
    expect(await post(body)).toMatchObject(refused('used before'))
    // An account with a key of its own is not asked in its place.
    expect(await post({ ...body, address: `0x${'c2'.repeat(20)}`, token: await getToken() })).toMatchObject(
      refused('not the wallet’s signature'),
    )
  })

  test('gets one key for a token, however many ask at once', async () => {
    const body = await signed()
    const replies = await Promise.all(Array.from({ length: 8 }, () => post(body)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies) if (reply.status !== 200) expect(reply).toMatchObject(refused('used before'))
  })
})

test('an address may ask for twenty keys a minute', async () => {
  stopClock()
  const replies = []
  for (let n = 0; n < 22; n++) replies.push(await post({}))
  expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(400), 429, 429])
  expect(replies[20]).toMatchObject({ body: { code: 'RATE_LIMIT_EXCEEDED' } })
})

test('a disabled account gets none, and the one that it would have had is not made', async () => {
  const body = await signed()
  const address = staker.address.toLowerCase()
  await database.query(
    `insert into account (id, kind, ref) values (gen_random_uuid(), 'wallet', $1) on conflict do nothing`,
    [address],
  )
  await database.query(`update account set status = 'disabled' where ref = $1`, [address])
  const count = () => database.query('select count(*) from api_key')
  try {
    const before = await count()
    expect(await post(body)).toMatchObject({ status: 403, body: { code: 'API_ACCESS_DISABLED' } })
    expect(await count()).toEqual(before)
  } finally {
    await database.query(`update account set status = 'active' where ref = $1`, [address])
  }
})

describe('refusals', () => {
  const forge = (changes: {
    key?: string
    iss?: string
    aud?: string
    exp?: number
    jti?: string | null
    alg?: string
  }) => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    const { iss = ORIGIN, aud = ORIGIN, exp = nowSeconds + 60, jti = 'an id' } = changes
    const jwt = new SignJWT(jti === null ? {} : { jti })
      .setProtectedHeader({ alg: changes.alg ?? 'HS256' })
      .setIssuer(iss)
      .setAudience(aud)
      .setIssuedAt(nowSeconds - 120)
      .setExpirationTime(exp)
    return async () =>
      jwt.sign(changes.key === undefined ? await ownSecret() : Buffer.from(changes.key.padEnd(64, 'x')))
  }

  async function ownSecret(): Promise<Buffer> {
    await getToken()
    const [row] = await database.query<{ value: string }>(
      `select value from installation where key = 'web3-key-secret'`,
    )
    return Buffer.from(row!.value, 'base64')
  }

  const alter = async (change: (parts: string[]) => string[]) => change((await getToken()).split('.')).join('.')

  test.each([
    ['of another server', forge({ key: 'other' }), 'signature of the token is invalid'],
    [
      'with another signature',
      () => alter(([a, b, c]) => [a!, b!, c!.replace(/^./, (x) => (x === 'A' ? 'B' : 'A'))]),
      'signature of the token',
    ],
    [
      'with other claims',
      () => alter(([a, , c]) => [a!, btoa('{"jti":"x"}').replace(/=+$/, ''), c!]),
      'signature of the token',
    ],
    ['past its end', forge({ exp: Math.floor(Date.now() / 1000) - 1 }), 'expired'],
    ['of another issuer', forge({ iss: 'https://other.example' }), 'claims'],
    ['for another audience', forge({ aud: 'https://other.example' }), 'claims'],
    ['without an id', forge({ jti: null }), 'claims'],
    ['of another algorithm', forge({ alg: 'HS512' }), 'malformed'],
    ['without a signature', () => alter(([, b]) => [btoa('{"alg":"none"}').replace(/=+$/, ''), b!, '']), 'malformed'],
    ['that is none', async () => 'nonsense', 'malformed'],
    ['that is too long', async () => `${await getToken()}.${'a'.repeat(2_048)}`, 'malformed'],
  ] as [string, () => Promise<string>, string][])('a token %s', async (_, token, says) => {
    expect(await post(await signed(staker, await token()))).toMatchObject(refused(says))
  })

  test('a bad address, another’s signature, and no stake: each in its own words, and the token stays good', async () => {
    const token = await getToken()
    const own = await signed(staker, token)
    expect(await post({ ...own, address: '0x12' })).toMatchObject(refused('not an EVM address'))
    expect(await post({ ...own, address: testWallet('solana').address })).toMatchObject(refused('not an EVM address'))
    const poor = privateKeyToAccount(generatePrivateKey())
    expect(await post({ ...own, signature: (await signed(poor, token)).signature })).toMatchObject(
      refused('not the wallet’s signature'),
    )
    expect(await post({ ...own, signature: 'nonsense' })).toMatchObject(refused('not the wallet’s signature'))
    expect(await post(await signed(poor, token))).toMatchObject(refused('no staked balance'))
    expect((await post(own)).status).toBe(200)
  })

  test.each([
    ['an unknown field', { owner: 'me' }],
    ['a kind of key that there is not', { apiKeyType: 'ROOT' }],
    ['a limit below zero', { consumptionLimit: { usd: -1 } }],
    ['an unknown limit', { consumptionLimit: { eur: 1 } }],
    ['a date that has passed', { expiresAt: '2020-01-01' }],
    ['a date that is none', { expiresAt: 'tomorrow' }],
    ['no signature', { signature: undefined }],
    ['a long description', { description: 'x'.repeat(65) }],
  ])('%s', async (_, change) => {
    const reply = await post({ ...(await signed()), ...change })
    expect(reply).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', issues: [expect.any(Object)] } })
  })

  test('a node that does not answer is a passing fault: 400 in words of its own, and the token stays good', async () => {
    const body = await signed()
    installSandbox({ ...chains.sandbox, evmUrl: 'http://127.0.0.1:1' })
    try {
      expect(await post(body)).toMatchObject(refused('could not be verified on chain right now'))
    } finally {
      installSandbox(chains.sandbox)
    }
    expect((await post(body)).status).toBe(200)
  })

  test('without staking there are no such keys', async () => {
    await withEnvironment({ SANDBOX: 'off' }, async () => {
      expect(await post(await signed())).toMatchObject({ status: 503, body: { code: 'STAKING_NOT_CONFIGURED' } })
    })
  })
})
