import { getBase58Decoder, type KeyPairSigner, signBytes } from '@solana/kit'
import { createSignInMessageText } from '@solana/wallet-standard-util'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { createSIWxClientHook, type SIWxSigner, wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment } from '@x402/fetch'
import { Wallet } from 'ethers'
import { SiweMessage } from 'siwe'
import { generatePrivateKey } from 'viem/accounts'
import { createSiweMessage, generateSiweNonce } from 'viem/siwe'
import { expect, test } from '@/e2e/contract/shared-stage'
import { command } from '@/e2e/testing/admin-line'
import { evmProof, newEvmAccount, newSolanaSigner, type WalletStage } from '@/e2e/testing/wallet-stage'
import { CHAIN_REFERENCE, SOLANA_NETWORK } from '@/lib/contract/chains'

/** Sign-ins by libraries that others wrote, unmodified, against the built server. */

const CHAT = { model: 'say', messages: [{ role: 'user', content: 'Hello' }] }
const FIVE_MINUTES_MS = 300_000

let stage: WalletStage

test.describe.configure({ timeout: 120_000 })
test.beforeAll(({ wallets }) => {
  stage = wallets
})

test('@x402/extensions signs an EVM wallet in by the challenge of the 402', async () => {
  const account = newEvmAccount()
  await credit(account.address.toLowerCase(), () => wrapFetchWithSIWx(fetch, account)(chatUrl(), chatRequest()))
  const response = await wrapFetchWithSIWx(fetch, account)(chatUrl(), chatRequest())
  expect(response.status).toBe(200)
  expect(response.headers.get('x-balance-remaining')).toMatch(/^4\.9999\d\d$/)
})

test('the client hook of @x402 signs a Solana wallet in, without paying', async () => {
  const signer = await newSolanaSigner()
  const client = new x402HTTPClient(new x402Client()).onPaymentRequired(
    createSIWxClientHook(signer as unknown as SIWxSigner),
  )
  const ask = () => wrapFetchWithPayment(fetch, client)(chatUrl(), chatRequest())
  await credit(signer.address, () => ask().catch(() => undefined))
  const response = await ask()
  expect(response.status).toBe(200)
  expect(response.headers.has('x-balance-remaining')).toBe(true)
})

test('siwe with ethers, and viem, sign in with their own texts, under both header names', async () => {
  const wallet = new Wallet(generatePrivateKey())
  const siwe = new SiweMessage({
    domain: host(),
    address: wallet.address,
    statement: 'Sign in to use the API.',
    uri: baseUrl(),
    version: '1',
    chainId: 8453,
    nonce: generateSiweNonce(),
    issuedAt: new Date().toISOString(),
    expirationTime: new Date(Date.now() + FIVE_MINUTES_MS).toISOString(),
  }).prepareMessage()
  const byEthers = { address: wallet.address, message: siwe, signature: await wallet.signMessage(siwe) }
  expect(await balance('SIGN-IN-WITH-X', byEthers)).toEqual({ status: 200, balanceUsd: 0 })

  const account = newEvmAccount()
  const message = createSiweMessage({
    domain: host(),
    address: account.address,
    uri: `${baseUrl()}/chat/completions`,
    version: '1',
    chainId: 8453,
    nonce: generateSiweNonce(),
    issuedAt: new Date(),
  })
  const byViem = {
    address: account.address,
    message,
    signature: await account.signMessage({ message }),
    chainId: 'eip155:8453',
    timestamp: Date.now(),
  }
  expect(await balance('X-Sign-In-With-X', byViem)).toEqual({ status: 200, balanceUsd: 0 })
})

test('a Wallet-Standard text signs a Solana wallet in, with its signature as base58 and as base64', async () => {
  for (const encode of [(bytes: Uint8Array) => getBase58Decoder().decode(bytes), toBase64]) {
    const signer: KeyPairSigner = await newSolanaSigner()
    for (const chainId of [SOLANA_NETWORK, CHAIN_REFERENCE.solana]) {
      const message = createSignInMessageText({
        domain: host(),
        address: signer.address,
        uri: baseUrl(),
        version: '1',
        chainId,
        nonce: generateSiweNonce(),
        issuedAt: new Date().toISOString(),
      })
      const signature = encode(await signBytes(signer.keyPair.privateKey, new TextEncoder().encode(message)))
      const header = { address: signer.address, message, signature, chainId: SOLANA_NETWORK, type: 'ed25519' }
      expect(await balance('SIGN-IN-WITH-X', header)).toEqual({ status: 200, balanceUsd: 0 })
    }
  }
})

test('a header serves once where money is spent, and again where it is only read', async () => {
  const account = newEvmAccount()
  const message = createSiweMessage({
    domain: host(),
    address: account.address,
    uri: baseUrl(),
    version: '1',
    chainId: 8453,
    nonce: generateSiweNonce(),
    issuedAt: new Date(),
  })
  const proof = { address: account.address, message, signature: await account.signMessage({ message }) }
  const spend = async () => {
    const response = await fetch(chatUrl(), chatRequest({ 'sign-in-with-x': btoa(JSON.stringify(proof)) }))
    return { status: response.status, code: (await response.json()).code, headers: response.headers }
  }
  expect(await spend()).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' })
  // A refusal for want of money spends the proof too.
  expect(await spend()).toMatchObject({ status: 401, code: 'X402_SIGN_IN_NONCE_REUSED' })
  expect(await balance('SIGN-IN-WITH-X', proof)).toEqual({ status: 200, balanceUsd: 0 })
  expect(await balance('SIGN-IN-WITH-X', proof)).toEqual({ status: 200, balanceUsd: 0 })
})

test('a wallet without credit is told how to top up, and what is wrong with a bad proof', async () => {
  const account = newEvmAccount()
  const response = await wrapFetchWithSIWx(fetch, account)(chatUrl(), chatRequest())
  expect(response.status).toBe(402)
  const body = await response.json()
  expect(body).toMatchObject({
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    currentBalanceUsd: 0,
    minimumBalanceUsd: 0.1,
    suggestedTopUpUsd: 10,
    minimumTopUpUsd: 5,
    supportedTokens: ['USDC'],
    supportedChains: ['base', 'solana'],
    topUpInstructions: { tokenDecimals: 6, network: 'eip155:8453', minimumAmountUsd: 5 },
    siwxChallenge: { info: { nonce: expect.stringMatching(/^[0-9a-f]{32}$/) } },
  })
  const required = JSON.parse(atob(response.headers.get('payment-required')!))
  expect(required).toMatchObject({ x402Version: 2, accepts: [{ network: 'eip155:8453' }, { network: SOLANA_NETWORK }] })

  const wrong = await fetch(chatUrl(), chatRequest({ 'sign-in-with-x': btoa('{"address":"0x1"}') }))
  expect({ status: wrong.status, body: await wrong.json() }).toMatchObject({
    status: 401,
    body: { error: expect.any(String), code: 'X402_SIGN_IN_INVALID_PAYLOAD' },
  })
})

test('another wallet’s balance stays its own', async () => {
  const account = newEvmAccount()
  const header = await evmProof(baseUrl(), account)
  const other = newEvmAccount().address
  const response = await fetch(`${baseUrl()}/x402/balance/${other}`, { headers: { 'sign-in-with-x': header } })
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 403,
    body: { code: 'X402_WALLET_MISMATCH' },
  })
  const unsigned = await fetch(`${baseUrl()}/x402/balance/${other}`)
  expect({ status: unsigned.status, body: await unsigned.json() }).toMatchObject({
    status: 401,
    body: { code: 'X402_INVALID_SIGN_IN' },
  })
})

/** Five dollars for a wallet that the service has seen once. */
async function credit(address: string, beSeen: () => Promise<unknown>): Promise<void> {
  await beSeen()
  await command(stage.dataDir, 'credit', address, '5')
}

async function balance(name: string, proof: { address: string }): Promise<{ status: number; balanceUsd?: number }> {
  const response = await fetch(`${baseUrl()}/x402/balance/${proof.address}`, {
    headers: { [name]: btoa(JSON.stringify(proof)) },
  })
  const { data } = await response.json()
  return { status: response.status, balanceUsd: data?.balanceUsd }
}

const baseUrl = (): string => `${stage.origin()}/api/v1`
const host = (): string => new URL(stage.origin()).host
const chatUrl = (): string => `${baseUrl()}/chat/completions`
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

function chatRequest(headers: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(CHAT),
  }
}
