import { generateKeyPairSync, sign } from 'node:crypto'
import { getBase58Decoder } from '@solana/kit'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { CHAIN_REFERENCE, EVM_NETWORK, type Family, SOLANA_NETWORK } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { hex } from '@/lib/contract/ids'
import { type SignInFields, signInText } from '@/lib/contract/sign-in-format'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext } from '@/lib/services/identity/testing'

export type TestWallet = {
  family: Family
  address: string
  signMessage: (text: string) => Promise<string>
}

export function testWallet(family: Family = 'evm'): TestWallet {
  if (family === 'evm') {
    const account = privateKeyToAccount(generatePrivateKey())
    return { family, address: account.address, signMessage: (message) => account.signMessage({ message }) }
  }
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes)
  return {
    family,
    address: base58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
    signMessage: async (text) => base58(sign(null, Buffer.from(text), privateKey)),
  }
}

export function signInFields({ family, address }: TestWallet, changes: Partial<SignInFields> = {}): SignInFields {
  return {
    family,
    domain: 'localhost:3000',
    address,
    statement: 'Sign in to Lagoon.',
    uri: 'http://localhost:3000/api/v1/chat/completions',
    chainId: CHAIN_REFERENCE[family],
    nonce: hex(16),
    issuedAt: new Date().toISOString(),
    ...changes,
  }
}

export async function signedPayload(wallet: TestWallet, text = signInText(signInFields(wallet))) {
  return {
    address: wallet.address,
    message: text,
    signature: await wallet.signMessage(text),
    chainId: wallet.family === 'evm' ? EVM_NETWORK : SOLANA_NETWORK,
    ...(wallet.family === 'solana' && { type: 'ed25519' }),
  }
}

export const encodeHeader = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64')

export async function signedHeaders(
  wallet: TestWallet,
  changes: Partial<SignInFields> = {},
): Promise<Record<string, string>> {
  const text = signInText(signInFields(wallet, changes))
  return { 'SIGN-IN-WITH-X': encodeHeader(await signedPayload(wallet, text)) }
}

export const verify = (headers: Record<string, string>, mayRepeat = false) =>
  verifySignIn(testContext({ headers }), { mayRepeat })

export const sent = (payload: unknown) => verify({ 'SIGN-IN-WITH-X': encodeHeader(payload) })

export const refusalOf = (header: string): Promise<string> => refusal(verify({ 'SIGN-IN-WITH-X': header }))

export async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('was admitted'),
    (thrown) => thrown,
  )
  if (!(error instanceof ApiError) || error.status !== 401) throw error
  return error.code.replace('X402_SIGN_IN_', '')
}
