import { createSolanaRpc, address as solanaAddress } from '@solana/kit'
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createPublicClient, erc20Abi, http } from 'viem'
import { type Family, USDC_EVM, USDC_SOLANA } from '@/lib/contract/chains'

/** The USDC of an address, in base units, as the chain's own node says. */
export function usdcOf(family: Family, url: string, address: string): Promise<bigint> {
  return family === 'evm' ? onEvm(url, address) : onSolana(url, address)
}

function onEvm(url: string, address: string): Promise<bigint> {
  return createPublicClient({ transport: http(url) }).readContract({
    address: USDC_EVM,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [address as `0x${string}`],
  })
}

async function onSolana(url: string, owner: string): Promise<bigint> {
  const [account] = await findAssociatedTokenPda({
    owner: solanaAddress(owner),
    mint: solanaAddress(USDC_SOLANA),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  const { value } = await createSolanaRpc(url).getTokenAccountBalance(account).send()
  return BigInt(value.amount)
}
