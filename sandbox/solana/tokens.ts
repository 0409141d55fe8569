import { type Address, address, type EncodedAccount, lamports, none } from '@solana/kit'
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintEncoder,
  getTokenDecoder,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { USDC_DECIMALS, USDC_SOLANA } from '@/lib/contract/chains'
import type { TokenAmount } from './history.ts'
import type { SolanaState } from './state'

export const USDC = address(USDC_SOLANA)

const TOKEN_BYTES = 165
const MINT_BYTES = 82
const SYSTEM_PROGRAM = address('11111111111111111111111111111111')

export function tokenOf(account: EncodedAccount | undefined) {
  if (account?.programAddress !== TOKEN_PROGRAM_ADDRESS || account.data.length !== TOKEN_BYTES) return undefined
  return getTokenDecoder().decode(account.data)
}

export function mintOf(account: EncodedAccount | undefined) {
  if (account?.programAddress !== TOKEN_PROGRAM_ADDRESS || account.data.length !== MINT_BYTES) return undefined
  return getMintDecoder().decode(account.data)
}

export function amountOf(state: SolanaState, mint: Address, amount: bigint): TokenAmount {
  const decimals = mintOf(state.account(mint))?.decimals ?? 0
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const text = fraction === '' ? whole : `${whole}.${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text }
}

export async function usdcAccountOf(owner: Address): Promise<Address> {
  const [at] = await findAssociatedTokenPda({ owner, mint: USDC, tokenProgram: TOKEN_PROGRAM_ADDRESS })
  return at
}

export async function fundUsdc(state: SolanaState, owner: Address, units: bigint): Promise<void> {
  const at = await usdcAccountOf(owner)
  const held = tokenOf(state.account(at))
  if (held && units === 0n) return
  const token = {
    mint: USDC,
    owner,
    amount: (held?.amount ?? 0n) + units,
    delegate: none<Address>(),
    state: AccountState.Initialized,
    isNative: none<bigint>(),
    delegatedAmount: 0n,
    closeAuthority: none<Address>(),
  }
  putMint(state, (mintOf(state.account(USDC))?.supply ?? 0n) + units)
  put(state, at, TOKEN_PROGRAM_ADDRESS, getTokenEncoder().encode(token))
}

export function ensureLamports(state: SolanaState, owner: Address, amount: bigint): void {
  const held = state.account(owner)
  if ((held?.lamports ?? 0n) < amount) setLamports(state, owner, amount)
}

export function addLamports(state: SolanaState, owner: Address, amount: bigint): void {
  setLamports(state, owner, (state.account(owner)?.lamports ?? 0n) + amount)
}

export function putMint(state: SolanaState, supply: bigint): void {
  const mint = { mintAuthority: none<Address>(), supply, decimals: USDC_DECIMALS, isInitialized: true }
  put(state, USDC, TOKEN_PROGRAM_ADDRESS, getMintEncoder().encode({ ...mint, freezeAuthority: none<Address>() }))
}

function setLamports(state: SolanaState, owner: Address, amount: bigint): void {
  const held = state.account(owner)
  const plain = { programAddress: SYSTEM_PROGRAM, data: new Uint8Array(), space: 0n, executable: false }
  state.put({ ...(held ?? { address: owner, ...plain }), lamports: lamports(amount) })
}

function put(state: SolanaState, at: Address, programAddress: Address, encoded: ArrayLike<number>): void {
  const data = Uint8Array.from(encoded)
  const rent = state.svm.minimumBalanceForRentExemption(BigInt(data.length))
  state.put({
    address: at,
    programAddress,
    data,
    space: BigInt(data.length),
    executable: false,
    lamports: lamports(rent),
  })
}
