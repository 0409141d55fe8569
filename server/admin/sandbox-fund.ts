import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { formatUsd, usd } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import { fundAddress } from '@/lib/services/payments/faucet'
import { answer, type Command, CommandError, UsageError, type Values } from '@/server/admin/command'
import { dollarsOf } from '@/server/admin/money'

const USUAL = usd('25')
const CHAIN = { evm: 'the local EVM (chain id 8453)', solana: 'the local Solana' } as const

async function run(_: Values, [address, dollars]: string[]) {
  if (address === undefined) throw new UsageError('ADDRESS is required.')
  if (!config().isSandbox) throw new CommandError('There is no test money here: payments are real on this server.')
  const amount = dollars === undefined ? USUAL : dollarsOf(dollars)
  if (amount % NANO_PER_USDC_UNIT !== 0n) throw new UsageError(`${dollars}: USDC has six decimals.`)
  const { family, nodeUrl } = await fundAddress(address, amount / NANO_PER_USDC_UNIT)
  const funded = formatUsd(amount, 2)
  return answer([`${address} received ${funded} test USDC on ${CHAIN[family]}. Its node:`, nodeUrl], {
    address,
    family,
    fundedUsd: funded,
    nodeUrl,
  })
}

export const sandboxFundCommand: Command = {
  name: 'sandbox fund',
  usage: 'sandbox fund ADDRESS [USD]',
  summary: 'sandbox only: sends test USDC to an EVM or Solana address; the last line is the URL of the local node',
  needsDatabase: false,
  run,
}
