import type { PrivateKeyAccount } from 'viem'
import type { Draw } from '@/e2e/servers/fuzz/draw'
import type { Operation } from '@/e2e/servers/fuzz/operations'
import { evmProof } from '@/e2e/testing/wallet-stage'

/** Who sends a request. `$NAME` stands for the key in what a failure prints. */
export type Caller = 'KEY' | 'ADMIN_KEY' | 'POOR_KEY' | 'ENDED_KEY' | 'WALLET' | 'nobody' | 'stranger'

export type Keys = Record<'KEY' | 'ADMIN_KEY' | 'POOR_KEY' | 'ENDED_KEY', string>

const FITTING_SHARE = 0.8
const OTHERS: readonly Caller[] = ['KEY', 'ADMIN_KEY', 'POOR_KEY', 'ENDED_KEY', 'WALLET', 'nobody', 'stranger']
const STRANGE_CREDENTIALS: readonly Record<string, string>[] = [
  { authorization: '' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer nobody' },
  { authorization: `Bearer SERVICE_INFERENCE_KEY_${'0'.repeat(48)}` },
  { authorization: `Bearer SERVICE_ADMIN_KEY_${'A'.repeat(48)}` },
  { authorization: `Bearer ${'k'.repeat(2_000)}` },
  { authorization: 'Basic dXNlcjpwYXNz' },
  { authorization: 'bearer \u00ff' },
  { 'sign-in-with-x': '' },
  { 'sign-in-with-x': 'e30=' },
  { 'sign-in-with-x': '!!!' },
  { 'x-sign-in-with-x': Buffer.from('{"address":"0x1","message":"","signature":"0x"}').toString('base64') },
  { 'sign-in-with-x': Buffer.from('[]').toString('base64'), authorization: 'Bearer nobody' },
]

export function callerOf({ wants }: Operation, draw: Draw): Caller {
  if (!draw.chance(FITTING_SHARE)) return draw.pick(OTHERS)
  if (wants === 'admin') return 'ADMIN_KEY'
  if (wants === 'wallet') return 'WALLET'
  return wants === 'nothing' ? 'nobody' : 'KEY'
}

/** The credentials of a caller. A wallet's are good once, and made when they are sent. */
export async function credentialsOf(
  caller: Caller,
  draw: Draw,
  { baseUrl, keys, wallet }: { baseUrl: string; keys: Keys; wallet: PrivateKeyAccount },
): Promise<Record<string, string>> {
  if (caller === 'nobody') return {}
  if (caller === 'stranger') return draw.pick(STRANGE_CREDENTIALS)
  if (caller === 'WALLET') return { 'sign-in-with-x': await evmProof(baseUrl, wallet) }
  return { authorization: `Bearer ${keys[caller]}` }
}
