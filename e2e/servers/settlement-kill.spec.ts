import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { type Child, startChild } from '@/bench/children'
import type { RailCalls } from '@/bench/payment-rail'
import { command } from '@/e2e/testing/admin-line'
import { usdcOf } from '@/e2e/testing/chain-balances'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { evmProof, newEvmAccount, newSolanaSigner, solanaProof } from '@/e2e/testing/wallet-stage'
import { removeFolder } from '@/scripts/tools/temp-folder'

/** The short run of every commit; `KILL_ROUNDS=100` is the long one. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const ROUND_TIMEOUT_MS = 90_000
const EVM_PAYERS = 3
const SOLANA_PAYERS = 2
const UNITS = 5_000_000n
/** What a facilitator takes, at most, before it sends and before it answers: wide enough to be killed in. */
const SLOW_MS = 250
const LATEST_KILL_MS = 700
const CREDITED_WITHIN_MS = 60_000
const SEND_AGAIN_MS = 500

type Rail = Awaited<ReturnType<RailCalls['open']>>
type Payer = {
  family: 'evm' | 'solana'
  address: string
  payment: Record<string, string>
  prove: (baseUrl: string) => Promise<string>
}

test('kill -9 around settlements: what moved on the chains is credited, once, and nothing else is', async () => {
  test.setTimeout(120_000 + ROUNDS * ROUND_TIMEOUT_MS)
  const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-rail-'))
  const chains = await startChild<RailCalls>('payment-rail', {
    environment: { DATA_DIR: folder, SANDBOX: 'on', LOG_LEVEL: 'silent', HOST: '127.0.0.1', DATABASE_URL: '' },
  })
  const rail = await chains.call('open')
  const stage = await openStage(
    { failedRequests: { count: 1_000 }, routes: { 'top-up': 100_000, 'x402-balance': 100_000 } },
    {
      SANDBOX: 'off',
      X402_PAY_TO_EVM: rail.payTo.evm,
      X402_PAY_TO_SOLANA: rail.payTo.solana,
      X402_FACILITATOR_URL: rail.facilitatorUrl,
      WALLET_RPC_URL_EVM: rail.evmUrl,
      WALLET_RPC_URL_SOLANA: rail.solanaUrl,
      PAYMENTS_ON_EMBEDDED_DATABASE: 'on',
    },
  )
  const tally = { moved: 0, unmoved: 0, slowestMs: 0 }
  try {
    await chains.call('slowDown', SLOW_MS)
    for (let round = 0; round < ROUNDS; round++) {
      await test.step(`round ${round + 1}`, async () => {
        const payers = await newPayers(stage, chains, rail)
        const sent = payers.map((payer) => send(stage, payer))
        await sleep(Math.random() * LATEST_KILL_MS)
        await stage.kill()
        await Promise.all(sent)
        await stage.start()
        const startedAt = performance.now()
        // Every other client asks again, as it was told to; the others are never heard of again.
        await Promise.all(payers.filter((_, at) => at % 2 === 0).map((payer) => sendUntilKnown(stage, payer)))
        const isMoved = await Promise.all(payers.map((payer) => hasMoved(rail, payer)))
        await expect(async () => {
          const credited = await credits(stage, payers)
          expect(credited).toEqual(isMoved.map((moved) => (moved ? 5 : 0)))
        }).toPass({ timeout: CREDITED_WITHIN_MS })
        tally.slowestMs = Math.max(tally.slowestMs, performance.now() - startedAt)
        tally.moved += isMoved.filter(Boolean).length
        tally.unmoved += isMoved.filter((moved) => !moved).length
        await command(stage.dataDir, 'ledger', 'check')
      })
    }
    console.log(
      `${ROUNDS} kills around ${tally.moved + tally.unmoved} payments: ${tally.moved} moved and were credited once, ${tally.unmoved} did not move; slowest ${Math.round(tally.slowestMs)} ms after the restart`,
    )
  } finally {
    await stage.stop()
    await chains.stop()
    await removeFolder(folder)
  }
})

async function newPayers(stage: Stage, chains: Child<RailCalls>, rail: Rail): Promise<Payer[]> {
  const offer = await bothRails(stage)
  const evm = Array.from({ length: EVM_PAYERS }, async (): Promise<Payer> => {
    const account = newEvmAccount()
    await chains.call('fund', { address: account.address, units: String(UNITS) })
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(account)).setSpendControls(false)
    return {
      family: 'evm',
      address: account.address,
      payment: await sign(client, offer),
      prove: (baseUrl) => evmProof(baseUrl, account),
    }
  })
  const solana = Array.from({ length: SOLANA_PAYERS }, async (): Promise<Payer> => {
    const signer = await newSolanaSigner()
    await chains.call('fund', { address: signer.address, units: String(UNITS) })
    const scheme = new ExactSvmScheme(signer, { rpcUrl: rail.solanaUrl })
    const client = new x402Client().register('solana:*', scheme).setSpendControls(false)
    return {
      family: 'solana',
      address: signer.address,
      payment: await sign(client, offer),
      prove: (baseUrl) => solanaProof(baseUrl, signer),
    }
  })
  return Promise.all([...evm, ...solana])
}

/** Solana is offered as soon as the facilitator has said who pays its fees, and a server that just started may not know. */
async function bothRails({ baseUrl }: Stage): Promise<PaymentRequired> {
  let offer: PaymentRequired | undefined
  await expect(async () => {
    offer = await (await fetch(`${baseUrl}/x402/top-up`, { method: 'POST' })).json()
    expect(offer?.accepts).toHaveLength(2)
  }).toPass({ timeout: CREDITED_WITHIN_MS })
  return offer!
}

async function sign(client: x402Client, offer: PaymentRequired): Promise<Record<string, string>> {
  const http = new x402HTTPClient(client)
  return http.encodePaymentSignatureHeader(await http.createPaymentPayload(offer))
}

/** @returns the status; nothing when the server died. */
async function send({ baseUrl }: Stage, { payment }: Payer): Promise<number | undefined> {
  try {
    const response = await fetch(`${baseUrl}/x402/top-up`, { method: 'POST', headers: payment })
    await response.arrayBuffer()
    return response.status
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return undefined
  }
}

async function sendUntilKnown(stage: Stage, payer: Payer): Promise<void> {
  const giveUpAt = performance.now() + CREDITED_WITHIN_MS
  while (performance.now() < giveUpAt) {
    const status = await send(stage, payer)
    if (status === 200) return
    // A fresh 402 would make a client pay twice; only what was refused before it was sent may have one.
    expect([409, 503]).toContain(status)
    await sleep(SEND_AGAIN_MS)
  }
  throw new Error(`the payment of ${payer.address} stayed unknown`)
}

const hasMoved = async (rail: Rail, { family, address }: Payer): Promise<boolean> =>
  (await usdcOf(family, family === 'evm' ? rail.evmUrl : rail.solanaUrl, address)) === 0n

/** What each wallet has, as the service tells the wallet. Nobody spends, so it is what was credited. */
const credits = (stage: Stage, payers: Payer[]): Promise<number[]> =>
  Promise.all(
    payers.map(async ({ address, prove }) => {
      // Not the sandbox: it has one name only.
      const baseUrl = `${stage.origin()}/api/v1`
      const headers = { 'sign-in-with-x': await prove(baseUrl) }
      const response = await fetch(`${baseUrl}/x402/balance/${address}`, { headers })
      expect(response.status).toBe(200)
      return (await response.json()).data.balanceUsd as number
    }),
  )
